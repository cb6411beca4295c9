package payments

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/db"
	"perennial/service/payments"
	serviceusecase "perennial/service/usecase"
)

// PaymentProviderChange changes the fields that are sent and leaves the others. Credentials that are sent replace those
// of the same name.
type PaymentProviderChange struct {
	IsPrimary *bool `json:"isPrimary,omitempty" doc:"true: it takes the place of the present primary configuration, which becomes a backup."`
	Priority  *int  `json:"priority,omitempty" minimum:"0" maximum:"1000" doc:"The order of the backups: the lowest is the first."`
	// No pointer to a pointer: a limit of none is none.
	MaxRequestsPerSecond *int `json:"maxRequestsPerSecond,omitempty" minimum:"0" maximum:"10000" doc:"Bounds the requests to the provider by all workers together. 0: the provider's own limit, where it publishes one."`
	ProviderCredentials
}

type updateProviderInput struct {
	httpkit.ByID
	Body PaymentProviderChange
}

// onProvider performs a command on the configuration of the path, and responds with its new state.
func (h *Handler) onProvider(
	ctx context.Context, c *httpkit.Call,
	perform func(ctx context.Context, by serviceusecase.Caller, id string, around usecase.Around[db.ProviderConfig]) error,
) (*httpkit.Reply[PaymentProvider], error) {
	id := httpkit.Resource[db.ProviderConfig](c).ID
	return usecase.Command(ctx, h.kit, c, http.StatusOK, h.madeProvider(c),
		func(around usecase.Around[db.ProviderConfig]) error {
			return perform(ctx, usecase.Caller(c), id, around)
		})
}

func (h *Handler) updateProvider(
	ctx context.Context, c *httpkit.Call, in *updateProviderInput,
) (*httpkit.Reply[PaymentProvider], error) {
	change := payments.ProviderChange{
		Credentials: in.Body.given(), Primary: in.Body.IsPrimary, Priority: in.Body.Priority,
		MaxRequestsPerSecond: in.Body.MaxRequestsPerSecond,
	}
	id := httpkit.Resource[db.ProviderConfig](c).ID
	return usecase.Command(ctx, h.kit, c, http.StatusOK, h.madeProvider(c),
		func(around usecase.Around[db.ProviderConfig]) error {
			return h.service.UpdateProvider(ctx, usecase.Caller(c), id, change, around)
		})
}

func (h *Handler) testProvider(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[PaymentProvider], error) {
	return h.onProvider(ctx, c, h.service.TestProvider)
}

func (h *Handler) disableProvider(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[PaymentProvider], error) {
	return h.onProvider(ctx, c, h.service.DisableProvider)
}

func (h *Handler) enableProvider(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[PaymentProvider], error) {
	return h.onProvider(ctx, c, h.service.EnableProvider)
}

func (h *Handler) pauseProvider(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[PaymentProvider], error) {
	return h.onProvider(ctx, c, h.service.PauseProvider)
}

func (h *Handler) resumeProvider(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[PaymentProvider], error) {
	return h.onProvider(ctx, c, h.service.ResumeProvider)
}

func (h *Handler) deleteProvider(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[view.Deleted], error) {
	id := httpkit.Resource[db.ProviderConfig](c).ID
	made := func(config db.ProviderConfig) httpkit.Made[view.Deleted] {
		return httpkit.Made[view.Deleted]{Resource: view.Deleted{ID: config.ID, Deleted: true}}
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, made, func(around usecase.Around[db.ProviderConfig]) error {
		return h.service.DeleteProvider(ctx, usecase.Caller(c), id, around)
	})
}

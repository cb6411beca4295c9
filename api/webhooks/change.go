package webhooks

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/event"
	"perennial/db"
	"perennial/service/webhooks"
)

// WebhookChange changes the fields that are sent and leaves the others.
type WebhookChange struct {
	URL          *string        `json:"url,omitempty" maxLength:"2048" example:"https://example.com/webhooks" doc:"Also for deliveries that are pending."`
	Events       *EventPatterns `json:"events,omitempty"`
	PayloadShape *string        `json:"payloadShape,omitempty" enum:"A,B" doc:"For new deliveries: one that exists keeps its payload."`
	Description  *string        `json:"description,omitempty" maxLength:"200" doc:"An empty one removes it."`
}

type updateWebhookInput struct {
	httpkit.ByID
	Body WebhookChange
}

// onWebhook performs a command on the endpoint of the path, and responds with its new state.
func (h *Handler) onWebhook(
	ctx context.Context, c *httpkit.Call, perform func(id string, around usecase.Around[webhooks.Endpoint]) error,
) (*httpkit.Reply[WebhookEndpoint], error) {
	id := httpkit.Resource[db.WebhookEndpoint](c).ID
	return usecase.Command(ctx, h.kit, c, http.StatusOK, madeWebhookEndpoint,
		func(around usecase.Around[webhooks.Endpoint]) error { return perform(id, around) })
}

func (h *Handler) updateWebhook(
	ctx context.Context, c *httpkit.Call, in *updateWebhookInput,
) (*httpkit.Reply[WebhookEndpoint], error) {
	update := webhooks.EndpointUpdate{
		URL: in.Body.URL, Description: in.Body.Description, Events: (*[]string)(in.Body.Events),
		Shape: (*event.Shape)(in.Body.PayloadShape),
	}
	return h.onWebhook(ctx, c, func(id string, around usecase.Around[webhooks.Endpoint]) error {
		return h.service.UpdateWebhook(ctx, usecase.Caller(c), id, update, around)
	})
}

// disableWebhook fails pending deliveries: an owner who disables an endpoint does not expect a backlog on the day it is
// enabled. Missed events can be redelivered by time range.
func (h *Handler) disableWebhook(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[WebhookEndpoint], error) {
	return h.onWebhook(ctx, c, func(id string, around usecase.Around[webhooks.Endpoint]) error {
		return h.service.DisableWebhook(ctx, usecase.Caller(c), id, around)
	})
}

// enableWebhook sends no events of the time in between: an owner decides by a time range which ones a receiver should
// still get.
func (h *Handler) enableWebhook(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[WebhookEndpoint], error) {
	return h.onWebhook(ctx, c, func(id string, around usecase.Around[webhooks.Endpoint]) error {
		return h.service.EnableWebhook(ctx, usecase.Caller(c), id, around)
	})
}

// SecretRotation replaces a signing secret. Both secrets sign for 24 hours by default, so that receivers change theirs
// without refusing a delivery in between.
type SecretRotation struct {
	Secret         string `json:"secret,omitempty" minLength:"16" maxLength:"256" doc:"Your own. Default: one is generated, and shown in this response only."`
	RevokePrevious bool   `json:"revokePrevious,omitempty" doc:"true: the previous secret stops signing at once, because others may know it. Default: both sign for 24 hours."`
}

type rotateSecretInput struct {
	httpkit.ByID
	Body *SecretRotation
}

func (h *Handler) rotateWebhookSecret(
	ctx context.Context, c *httpkit.Call, in *rotateSecretInput,
) (*httpkit.Reply[WebhookEndpoint], error) {
	var r webhooks.Rotation
	if in.Body != nil {
		r = webhooks.Rotation(*in.Body)
	}
	return h.onWebhook(ctx, c, func(id string, around usecase.Around[webhooks.Endpoint]) error {
		return h.service.RotateWebhookSecret(ctx, usecase.Caller(c), id, r, around)
	})
}

func (h *Handler) deleteWebhook(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[view.Deleted], error) {
	id := httpkit.Resource[db.WebhookEndpoint](c).ID
	made := func(e webhooks.Endpoint) httpkit.Made[view.Deleted] {
		return httpkit.Made[view.Deleted]{Resource: view.Deleted{ID: e.ID, Deleted: true}}
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, made, func(around usecase.Around[webhooks.Endpoint]) error {
		return h.service.DeleteWebhook(ctx, usecase.Caller(c), id, around)
	})
}

// testWebhook responds with the log entry, which shows the result when it is read again.
func (h *Handler) testWebhook(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[WebhookLog], error) {
	id := httpkit.Resource[db.WebhookEndpoint](c).ID
	made := func(d db.WebhookDelivery) httpkit.Made[WebhookLog] {
		return httpkit.Made[WebhookLog]{Resource: renderWebhookLog(d, nil)}
	}
	return usecase.Command(ctx, h.kit, c, http.StatusCreated, made, func(around usecase.Around[db.WebhookDelivery]) error {
		return h.service.TestWebhook(ctx, usecase.Caller(c), id, around)
	})
}

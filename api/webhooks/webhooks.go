package webhooks

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/webhooks"
)

// WebhookEndpoint is a URL at which the app receives events. Its secret is shown only where we made it, and only then.
type WebhookEndpoint struct {
	ID                      string   `json:"id" example:"whe_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	URL                     string   `json:"url" example:"https://example.com/webhooks"`
	Description             string   `json:"description,omitempty" example:"opens and closes access"`
	Events                  []string `json:"events" doc:"The types it receives, and patterns of them."`
	PayloadShape            string   `json:"payloadShape" enum:"A,B" example:"A" doc:"A: event, data, timestamp. B: id, object, type, created, data.object."`
	Status                  string   `json:"status" enum:"enabled,disabled" example:"enabled" doc:"Nothing is sent to a disabled endpoint, and events that happen meanwhile are not kept for it: have them redelivered by time range."`
	DisabledReason          string   `json:"disabledReason,omitempty" enum:"requested,failing,gone" doc:"failing: no delivery succeeded for three days. gone: the receiver answered 410."`
	DisabledAt              int64    `json:"disabledAt,omitempty"`
	FailingSince            int64    `json:"failingSince,omitempty" doc:"The first failure after which no delivery succeeded."`
	Secret                  string   `json:"secret,omitempty" doc:"The generated signing secret. Only in the response to the request that made it: never again, and not in a repeat with the same Idempotency-Key."`
	PreviousSecretExpiresAt int64    `json:"previousSecretExpiresAt,omitempty" doc:"Until then the secret before the last rotation signs too."`
	Backlog                 *Backlog `json:"backlog,omitempty" doc:"What the endpoint is owed. Only where it is read, not in responses to changes."`
	CreatedAt               int64    `json:"createdAt" example:"1763640000"`
}

// Backlog has the numbers of waiting events of an endpoint.
type Backlog struct {
	Waiting  int   `json:"waiting" minimum:"0" maximum:"1000" example:"3" doc:"Events that wait for their first attempt; 1000: that many or more."`
	Retrying int   `json:"retrying" minimum:"0" maximum:"1000" example:"1" doc:"Events that failed and wait for a retry; 1000: that many or more."`
	OldestAt int64 `json:"oldestAt,omitempty" example:"1763640000" doc:"Since when the oldest of those counted waits. Absent: nothing waits."`
}

func renderWebhookEndpoint(e db.WebhookEndpoint) WebhookEndpoint {
	return WebhookEndpoint{
		ID: e.ID, URL: e.URL, Description: e.Description, Events: e.Events, PayloadShape: string(e.PayloadShape),
		Status: string(e.Status), DisabledReason: string(e.DisabledReason), DisabledAt: view.Unix(e.DisabledAt),
		FailingSince: view.Unix(e.FailingSince), PreviousSecretExpiresAt: view.Unix(e.PreviousSecretUntil),
		CreatedAt: view.Unix(e.CreatedAt),
	}
}

// madeWebhookEndpoint shows a generated secret once. The stored answer for repeats does not have it: a repeat must not
// show more than the first response may, and no row may have an unsealed secret.
func madeWebhookEndpoint(e webhooks.Endpoint) httpkit.Made[WebhookEndpoint] {
	repeats := renderWebhookEndpoint(e.WebhookEndpoint)
	shown := repeats
	shown.Secret = e.NewSecret
	return httpkit.Made[WebhookEndpoint]{Resource: shown, Repeats: &repeats}
}

// EventPatterns are the types that an endpoint receives.
type EventPatterns []string

// Schema returns the schema for the OpenAPI document; service checks each pattern, and names one that matches no type.
func (EventPatterns) Schema(huma.Registry) *huma.Schema {
	atLeast, atMost, longest := 1, 100, 100
	s := &huma.Schema{
		Type: huma.TypeArray, MinItems: &atLeast, MaxItems: &atMost,
		Items:       &huma.Schema{Type: huma.TypeString, MaxLength: &longest},
		Description: "Event types, such as payment.success, or patterns: payment.* for all that begin so, * for all.",
		Examples:    []any{[]string{"payment.*", "subscription.canceled"}},
	}
	s.PrecomputeMessages()
	s.Items.PrecomputeMessages()
	return s
}

// WebhookForm registers an endpoint.
type WebhookForm struct {
	URL          string        `json:"url" maxLength:"2048" example:"https://example.com/webhooks" doc:"HTTPS, on the public internet. The operator may allow local receivers for test environments, also with HTTP."`
	Events       EventPatterns `json:"events"`
	Secret       string        `json:"secret,omitempty" minLength:"16" maxLength:"256" doc:"Your own signing secret: 16 to 256 visible ASCII characters. Default: one is generated, and shown in this response only."`
	PayloadShape string        `json:"payloadShape,omitempty" enum:"A,B" doc:"Default: A for endpoints registered under /api, B under /v1."`
	Description  string        `json:"description,omitempty" maxLength:"200"`
}

type createWebhookInput struct {
	Body WebhookForm
}

// shapeOf is the shape that the documentation of a prefix shows.
var shapeOf = map[string]event.Shape{"/api": event.ShapeA, "/v1": event.ShapeB}

func (h *Handler) createWebhook(
	ctx context.Context, c *httpkit.Call, in *createWebhookInput,
) (*httpkit.Reply[WebhookEndpoint], error) {
	form := webhooks.EndpointForm{
		URL: in.Body.URL, Description: in.Body.Description, Events: in.Body.Events,
		Shape: event.Shape(in.Body.PayloadShape), Secret: in.Body.Secret,
	}
	if form.Shape == "" {
		form.Shape = shapeOf[c.Prefix]
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, madeWebhookEndpoint,
		func(keep func(*db.Tx, webhooks.Endpoint) error) error {
			_, err := h.service.RegisterWebhook(ctx, usecase.Caller(c), form, keep)
			return err
		})
}

func (h *Handler) getWebhook(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[WebhookEndpoint], error) {
	e := httpkit.Resource[db.WebhookEndpoint](c)
	waiting, err := h.store.Webhooks.WaitingDeliveries(ctx, c.EnvironmentID, []string{e.ID})
	if err != nil {
		return nil, err
	}
	return httpkit.OK(withBacklog(e, waiting[e.ID])), nil
}

func withBacklog(e db.WebhookEndpoint, w db.Waiting) WebhookEndpoint {
	shown := renderWebhookEndpoint(e)
	shown.Backlog = &Backlog{Waiting: w.First, Retrying: w.Later, OldestAt: view.Unix(w.Since)}
	return shown
}

type listWebhooksInput struct {
	httpkit.Page
	Status string `query:"status" enum:"enabled,disabled"`
}

func (h *Handler) listWebhooks(
	ctx context.Context, c *httpkit.Call, in *listWebhooksInput,
) (*httpkit.Reply[httpkit.List[WebhookEndpoint]], error) {
	page, err := in.DB(id.Endpoint)
	if err != nil {
		return nil, err
	}
	filter := db.WebhookEndpointFilter{Status: delivery.EndpointStatus(in.Status)}
	rows, more, err := h.store.Webhooks.Endpoints(ctx, c.EnvironmentID, filter, page)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, e := range rows {
		ids[i] = e.ID
	}
	waiting, err := h.store.Webhooks.WaitingDeliveries(ctx, c.EnvironmentID, ids)
	return httpkit.ListOf(
		rows, more, err, func(e db.WebhookEndpoint) WebhookEndpoint { return withBacklog(e, waiting[e.ID]) },
	)
}

package webhooks

import (
	"context"
	"time"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// WebhookDelivery is an event that an endpoint is owed, or was.
type WebhookDelivery struct {
	ID           string
	EndpointID   string
	EventID      string
	EventType    event.Type
	ObjectID     string // of the event: a payment transaction, a subscription, …
	PayloadShape event.Shape
	Status       delivery.Status
	Attempts     int // automatic ones that ended
	// NextAttemptAt is the time at which the next attempt is due; zero: the delivery has succeeded or failed.
	NextAttemptAt time.Time
	// Redelivery: the next attempt was asked for.
	Redelivery   bool
	FailedReason delivery.FailedReason // empty: not failed
	SucceededAt  time.Time             // the first time; zero: never
	FailedAt     time.Time
	CreatedAt    time.Time // real
}

// WebhookDeliveryFilter narrows a list; empty: any.
type WebhookDeliveryFilter struct {
	EndpointID string
	EventID    string
	ObjectID   string // the event's object: the id of a payment transaction lists the deliveries of that payment
	Status     delivery.Status
	// Since and Before bound the time, real, at which the delivery was written: since ≤ t < before.
	Since, Before time.Time
}

// Delivery reads one. Fault: webhook_delivery_not_found.
func (r Reader) Delivery(ctx context.Context, environmentID, id string) (WebhookDelivery, error) {
	row, err := core.Queries.WebhookDeliveryGet(ctx, r.Handle,
		dbsqlc.WebhookDeliveryGetParams{EnvironmentID: environmentID, ID: id})
	return deliveryFromDB(row.WebhookDelivery), core.ReadError("webhook_delivery", err)
}

// DeliveryWithKey reads key and delivery in one round trip. Faults: api_key_unknown; webhook_delivery_not_found,
// with the key.
func (r Reader) DeliveryWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, WebhookDelivery,
	error) {
	row, err := core.Queries.WebhookDeliveryGetWithKey(ctx, r.Handle,
		dbsqlc.WebhookDeliveryGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "webhook_delivery", err)
		return key, WebhookDelivery{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), deliveryFromDB(row.WebhookDelivery), nil
}

// Deliveries lists an environment's.
func (r Reader) Deliveries(
	ctx context.Context, environmentID string, f WebhookDeliveryFilter, page core.Page,
) (deliveries []WebhookDelivery, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	if err := r.narrow(ctx, &span, f.Since, f.Before); err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.WebhookDeliveryList(ctx, r.Lists(), dbsqlc.WebhookDeliveryListParams{
		EnvironmentID: environmentID, EndpointID: core.Null(f.EndpointID), EventID: core.Null(f.EventID),
		ObjectID: core.Null(f.ObjectID),
		Status:   core.Null(string(f.Status)), Since: core.NullTime(f.Since), Before: core.NullTime(f.Before),
		Below: span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("WebhookDeliveryList", err)
	}
	deliveries, hasMore = core.Cut(page, rows, func(row dbsqlc.WebhookDeliveryListRow) WebhookDelivery {
		return deliveryFromDB(row.WebhookDelivery)
	})
	return deliveries, hasMore, nil
}

func deliveryFromDB(row dbsqlc.WebhookDelivery) WebhookDelivery {
	return WebhookDelivery{
		ID: row.ID, EndpointID: row.EndpointID, EventID: row.EventID, EventType: row.EventType, ObjectID: row.ObjectID,
		PayloadShape: row.PayloadShape, Status: row.Status, Attempts: row.Attempts,
		NextAttemptAt: core.Value(row.NextAttemptAt),
		Redelivery:    row.Redeliver, FailedReason: core.Value(row.FailedReason), SucceededAt: core.Value(row.SucceededAt),
		FailedAt: core.Value(row.FailedAt), CreatedAt: row.CreatedAt,
	}
}

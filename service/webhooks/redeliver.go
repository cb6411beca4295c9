package webhooks

import (
	"context"
	"slices"
	"time"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// Bounds of one request. Each delivery is one row to write, in a transaction that holds the rows of endpoints.
const (
	maxRedelivered = 100 // of one payment
	maxExamined    = 500 // events of a time range
	loggedAttempts = 20  // of each delivery in the answer
)

var (
	errEndpointDisabled = fault.New(fault.Conflict, "webhook_endpoint_disabled",
		"The webhook endpoint is disabled or deleted, so nothing is sent to it. Enable it first.")
	errRangeEmpty = fault.InvalidParam("since", "range_empty", "`since` is not before `before`. Send an earlier `since`.")
	errRangeOld   = fault.InvalidParam("before", "range_expired",
		"`before` is %d days ago or more, and nobody knows what was delivered then. Send a later `before`, or read the events.",
		int(delivery.Retention.Hours()/24))
)

// Redelivered are deliveries that are made again now, with the attempts so far, by delivery.
type Redelivered struct {
	Deliveries []db.WebhookDelivery
	Attempts   map[string][]db.LoggedAttempt // without what receivers answered
	HasMore    bool
}

// Redeliver makes one delivery again. Faults: webhook_delivery_not_found, webhook_endpoint_disabled.
func (s *Service) Redeliver(
	ctx context.Context, by usecase.Caller, deliveryID string, around usecase.Around[Redelivered],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (Redelivered, error) {
		if !id.Is(id.Delivery, deliveryID) {
			return Redelivered{}, db.ErrWebhookDeliveryNotFound.In("deliveryId")
		}
		d, err := tx.Webhooks.Delivery(ctx, by.EnvironmentID, deliveryID)
		if err != nil {
			return Redelivered{}, usecase.InParam(err, "deliveryId")
		}
		again, err := redeliver(ctx, tx, by, d)
		if err == nil && len(again.Deliveries) == 0 {
			err = errEndpointDisabled.In("deliveryId")
		}
		return again, err
	})
}

// RedeliverPayment makes the deliveries of a payment's events again, at most 100, the newest first; those to disabled
// endpoints are left out. Fault: transaction_not_found.
func (s *Service) RedeliverPayment(
	ctx context.Context, by usecase.Caller, paymentID string, around usecase.Around[Redelivered],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (Redelivered, error) {
		if !id.Is(id.Transaction, paymentID) {
			return Redelivered{}, db.ErrTransactionNotFound.In("paymentTransactionId")
		}
		if _, err := tx.Payments.Transaction(ctx, by.EnvironmentID, paymentID); err != nil {
			return Redelivered{}, usecase.InParam(err, "paymentTransactionId")
		}
		all, more, err := tx.Webhooks.Deliveries(ctx, by.EnvironmentID, db.WebhookDeliveryFilter{ObjectID: paymentID},
			db.Page{Limit: maxRedelivered, Unsettled: true})
		if err != nil {
			return Redelivered{}, err
		}
		again, err := redeliver(ctx, tx, by, all...)
		again.HasMore = more
		return again, err
	})
}

// redeliver repeats the deliveries whose endpoint is enabled, and returns them in their new state.
func redeliver(
	ctx context.Context, tx *db.Tx, by usecase.Caller, all ...db.WebhookDelivery,
) (again Redelivered, err error) {
	endpoints := make([]string, len(all))
	for i, d := range all {
		endpoints[i] = d.EndpointID
	}
	slices.Sort(endpoints) // all transactions that lock several endpoints do so in the order of their ids
	enabled := map[string]bool{}
	for _, endpointID := range slices.Compact(endpoints) {
		e, err := tx.Webhooks.LockEndpoint(ctx, by.EnvironmentID, endpointID)
		if err != nil && !usecase.Absent(err) { // absent: deleted
			return again, err
		}
		enabled[endpointID] = err == nil && e.Status == delivery.EndpointEnabled
	}
	var ids []string
	for _, d := range all {
		if !enabled[d.EndpointID] {
			continue
		}
		tx.Redeliver(by.EnvironmentID, db.Owed{EventID: d.EventID, EndpointID: d.EndpointID})
		d.Status, d.Redelivery, d.NextAttemptAt, d.FailedReason, d.FailedAt = delivery.Pending, true, tx.Real, "", time.Time{}
		again.Deliveries, ids = append(again.Deliveries, d), append(ids, d.ID)
	}
	again.Attempts, err = tx.Webhooks.Log(ctx, by.EnvironmentID, ids, db.Log{Attempts: loggedAttempts})
	return again, err
}

// MissedRange asks for the events that an endpoint missed: those of a span of real time that it wants and that failed
// or that it never got, because it was disabled or did not exist yet.
type MissedRange struct {
	EndpointID    string
	Since, Before time.Time // zero Before: now
	After         string    // continues behind this event
}

// RedeliveredRange is the progress of a request. Where there is more, the next request continues after Last.
type RedeliveredRange struct {
	Examined, Redelivered int
	HasMore               bool
	Last                  string // the last event examined; empty: none
}

// RedeliverMissed examines at most 500 events of a range and delivers the missed ones. A repeat finds no missed ones
// any more. Events older than the log are not delivered, since the log would not show that. Faults:
// webhook_endpoint_not_found, webhook_endpoint_disabled, range_empty, range_expired.
func (s *Service) RedeliverMissed(
	ctx context.Context, by usecase.Caller, m MissedRange, around usecase.Around[RedeliveredRange],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (out RedeliveredRange, err error) {
		if m.Before.IsZero() {
			m.Before = tx.Real
		}
		if !m.Since.Before(m.Before) {
			return out, errRangeEmpty
		}
		logged := tx.Real.Add(-delivery.Retention)
		if !logged.Before(m.Before) {
			return out, errRangeOld
		}
		if m.Since.Before(logged) {
			m.Since = logged
		}
		if !id.Is(id.Endpoint, m.EndpointID) {
			return out, db.ErrWebhookEndpointNotFound.In("endpointId")
		}
		e, err := tx.Webhooks.LockEndpoint(ctx, by.EnvironmentID, m.EndpointID)
		if err != nil {
			return out, usecase.InParam(err, "endpointId")
		}
		if e.Status != delivery.EndpointEnabled {
			return out, errEndpointDisabled.In("endpointId")
		}
		events, more, err := tx.Webhooks.EventsFor(ctx, by.EnvironmentID, e.ID, db.EventRange{
			Since: m.Since, Before: m.Before, After: m.After, Limit: maxExamined,
		})
		if err != nil {
			return out, err
		}
		out.Examined, out.HasMore = len(events), more
		for _, ev := range events {
			out.Last = ev.ID
			if missed(e, ev) {
				tx.Redeliver(by.EnvironmentID, db.Owed{EventID: ev.ID, EndpointID: e.ID})
				out.Redelivered++
			}
		}
		return out, nil
	})
}

// missed reports whether an endpoint wants an event and has not got it.
// Test events of other endpoints are none of its business.
func missed(e db.WebhookEndpoint, ev db.RangedEvent) bool {
	if ev.Status == "" {
		return ev.Type != event.TypeWebhookEndpointTest && delivery.Wants(e.Events, ev.Type)
	}
	return ev.Status == delivery.Failed
}

// TestWebhook sends an event of type webhook_endpoint.test to one endpoint, and returns its delivery. Faults:
// webhook_endpoint_not_found, webhook_endpoint_disabled.
func (s *Service) TestWebhook(
	ctx context.Context, by usecase.Caller, endpointID string, around usecase.Around[db.WebhookDelivery],
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (d db.WebhookDelivery, err error) {
		e, err := tx.Webhooks.LockEndpoint(ctx, by.EnvironmentID, endpointID)
		if err != nil {
			return d, err
		}
		if e.Status != delivery.EndpointEnabled {
			return d, errEndpointDisabled
		}
		eventID, err := tx.EmitTo(ctx, by.EnvironmentID, e.ID, event.New(event.WebhookEndpointTest{ID: e.ID}, tx.Now))
		return db.WebhookDelivery{
			ID: db.WebhookDeliveryID(eventID, e.ID), EndpointID: e.ID, EventID: eventID,
			EventType: event.TypeWebhookEndpointTest, ObjectID: e.ID, PayloadShape: e.PayloadShape,
			Status: delivery.Pending, NextAttemptAt: tx.Real, CreatedAt: tx.Real,
		}, err
	})
}

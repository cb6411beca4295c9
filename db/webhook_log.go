package db

import (
	"context"
	"crypto/md5" //nolint:gosec // spreads ids, as WebhookDeliveryOwe does; it protects nothing
	"encoding/hex"
	"encoding/json"
	"math"
	"strings"
	"time"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// LoggedAttempt is one POST of a delivery as the log shows it.
type LoggedAttempt struct {
	WebhookAttempt     // ResponseExcerpt is as long as was asked for
	ResponseBytes  int // as many as are stored
}

// Log bounds what a read of attempts returns of each delivery.
type Log struct {
	Attempts     int // the last ones
	ExcerptBytes int // the beginning of what the receiver answered
}

// WebhookLog lists the last attempts of deliveries, by delivery and number.
func (r Reader) WebhookLog(
	ctx context.Context, environmentID string, deliveryIDs []string, l Log,
) (map[string][]LoggedAttempt, error) {
	rows, err := queries.WebhookLogListAttempts(ctx, r.handle, dbsqlc.WebhookLogListAttemptsParams{
		EnvironmentID: environmentID, DeliveryIds: presentList(deliveryIDs), PerDelivery: l.Attempts,
		ExcerptBytes: l.ExcerptBytes,
	})
	if err != nil {
		return nil, translate("WebhookLogListAttempts", err)
	}
	var attempts map[string][]LoggedAttempt
	for _, row := range rows {
		a := LoggedAttempt{ResponseBytes: row.ResponseBytes, WebhookAttempt: WebhookAttempt{
			DeliveryID: row.DeliveryID, Number: row.Number, Manual: row.Manual, StartedAt: row.StartedAt,
			EndedAt: value(row.EndedAt),
			Outcome: value(row.Outcome), StatusCode: value(row.StatusCode), ResponseExcerpt: row.ResponseExcerpt,
			Latency:    time.Duration(value(row.LatencyMs)) * time.Millisecond,
			ErrorClass: value(row.ErrorClass), ErrorText: value(row.ErrorText),
		}}
		if row.RequestHeaders != nil {
			if err := json.Unmarshal(row.RequestHeaders, &a.RequestHeaders); err != nil {
				return nil, translate("headers of an attempt", err)
			}
		}
		if attempts == nil {
			attempts = make(map[string][]LoggedAttempt, len(deliveryIDs))
		}
		attempts[a.DeliveryID] = append(attempts[a.DeliveryID], a)
	}
	return attempts, nil
}

// Waiting is what an endpoint is owed: first attempts and later ones, each counted up to 1,000.
type Waiting struct {
	First, Later int
	Since        time.Time // the oldest of them waits since then, real; zero: nothing waits
}

// WaitingDeliveries counts what endpoints are owed; those that are owed nothing are left out.
func (r Reader) WaitingDeliveries(
	ctx context.Context, environmentID string, endpointIDs []string,
) (waiting map[string]Waiting, err error) {
	rows, err := queries.WebhookEndpointListBacklogs(ctx, r.handle, dbsqlc.WebhookEndpointListBacklogsParams{
		EnvironmentID: environmentID, EndpointIds: presentList(endpointIDs), AtMost: backlogCounted,
	})
	if err != nil {
		return nil, translate("WebhookEndpointListBacklogs", err)
	}
	for _, row := range rows {
		if waiting == nil {
			waiting = make(map[string]Waiting, len(rows))
		}
		waiting[row.ID] = Waiting{First: row.First, Later: row.Later, Since: row.Since}
	}
	return waiting, nil
}

// narrow keeps a span to the positions of a time; zero: open.
func (r Reader) narrow(ctx context.Context, span *bounds, since, before time.Time) error {
	if since.IsZero() && before.IsZero() {
		return nil
	}
	if before.IsZero() {
		before = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	at, err := queries.WebhookDeliveryPositions(ctx, r.handle, dbsqlc.WebhookDeliveryPositionsParams{
		Since: since.Add(-time.Minute), Before: before.Add(time.Minute),
	})
	if err != nil {
		return translate("WebhookDeliveryPositions", err)
	}
	if at.First == 0 { // nothing is that new
		at.First = math.MaxInt64
	}
	span.above, span.below = max(span.above, at.First-1), min(span.below, at.Last+1)
	return nil
}

// EventRange is a piece of an environment's events, oldest first: those written at or after Since and before Before
// that follow the event After.
type EventRange struct {
	Since, Before time.Time
	After         string // an event's id; empty: from the beginning
	Limit         int
}

// RangedEvent is an event with what became of its delivery to an endpoint.
type RangedEvent struct {
	ID     string
	Type   event.Type
	Status delivery.Status // empty: the endpoint was never owed it
}

// EventsFor lists the events of a range for an endpoint, and says whether there are more.
func (r Reader) EventsFor(
	ctx context.Context, environmentID, endpointID string, in EventRange,
) (events []RangedEvent, hasMore bool, err error) {
	rows, err := queries.WebhookEventListOfRange(ctx, r.handle, dbsqlc.WebhookEventListOfRangeParams{
		EnvironmentID: environmentID, EndpointID: endpointID, After: max(in.After, id.Earliest(id.Event, in.Since)),
		Before: id.Earliest(id.Event, in.Before), RowLimit: int32(in.Limit + 1),
	})
	if err != nil {
		return nil, false, translate("WebhookEventListOfRange", err)
	}
	if hasMore = len(rows) > in.Limit; hasMore {
		rows = rows[:in.Limit]
	}
	events = make([]RangedEvent, len(rows))
	for i, row := range rows {
		events[i] = RangedEvent{ID: row.ID, Type: row.Type, Status: delivery.Status(row.Status)}
	}
	return events, hasMore, nil
}

// LockWebhookRegistrations keeps every other registration of the environment waiting until the transaction ends, and
// returns the app with its keyset, wrapped by the key-encryption key, for sealing the secret of a new endpoint.
func (tx *Tx) LockWebhookRegistrations(
	ctx context.Context, environmentID string,
) (appID string, keyset []byte, err error) {
	row, err := queries.WebhookRegistrationLock(ctx, tx.pipe, environmentID)
	return row.AppID, row.Keyset, readError("environment", err)
}

// WebhookDeliveryID is the id of the delivery of an event to an endpoint, which WebhookDeliveryOwe gives it: the answer
// to a request is rendered before that statement is sent.
func WebhookDeliveryID(eventID, endpointID string) string {
	sum := md5.Sum([]byte(eventID + endpointID)) //nolint:gosec // see the import
	made := strings.TrimPrefix(eventID, id.Event)[:10]
	return id.Delivery + made + hex.EncodeToString(sum[:])[:16]
}

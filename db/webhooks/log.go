package webhooks

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// LoggedAttempt is an attempt as the log shows it.
type LoggedAttempt struct {
	AttemptStart
	AttemptResult // ResponseExcerpt is as long as was asked for
	StartedAt     time.Time
	EndedAt       time.Time        // zero: under way, or left open by a crash that was not noticed yet
	Outcome       delivery.Outcome // empty: not ended
	ResponseBytes int              // as many as are stored
}

// Log bounds the attempts that a read returns for each delivery.
type Log struct {
	Attempts     int // the last ones
	ExcerptBytes int // the beginning of the receiver's answer
}

// Log lists the last attempts of deliveries, by delivery and number.
func (r Reader) Log(
	ctx context.Context, environmentID string, deliveryIDs []string, l Log,
) (map[string][]LoggedAttempt, error) {
	rows, err := core.Queries.WebhookLogListAttempts(ctx, r.Handle, dbsqlc.WebhookLogListAttemptsParams{
		EnvironmentID: environmentID, DeliveryIds: core.PresentList(deliveryIDs), PerDelivery: l.Attempts,
		ExcerptBytes: l.ExcerptBytes,
	})
	if err != nil {
		return nil, core.Translate("WebhookLogListAttempts", err)
	}
	var attempts map[string][]LoggedAttempt
	for _, row := range rows {
		a := LoggedAttempt{
			AttemptStart: AttemptStart{DeliveryID: row.DeliveryID, Number: row.Number, Manual: row.Manual},
			AttemptResult: AttemptResult{
				StatusCode: core.Value(row.StatusCode), Latency: time.Duration(core.Value(row.LatencyMs)) * time.Millisecond,
				ResponseExcerpt: row.ResponseExcerpt, ErrorClass: core.Value(row.ErrorClass), ErrorText: core.Value(row.ErrorText),
			},
			StartedAt: row.StartedAt, EndedAt: core.Value(row.EndedAt), Outcome: core.Value(row.Outcome),
			ResponseBytes: row.ResponseBytes,
		}
		if row.RequestHeaders != nil {
			if err := json.Unmarshal(row.RequestHeaders, &a.RequestHeaders); err != nil {
				return nil, core.Translate("headers of an attempt", err)
			}
		}
		if attempts == nil {
			attempts = make(map[string][]LoggedAttempt, len(deliveryIDs))
		}
		attempts[a.DeliveryID] = append(attempts[a.DeliveryID], a)
	}
	return attempts, nil
}

// Waiting counts the deliveries that wait for an endpoint: first attempts and later ones, each up to 1,000.
type Waiting struct {
	First, Later int
	Since        time.Time // the oldest of them waits since then, real; zero: nothing waits
}

// WaitingDeliveries counts the deliveries that wait for endpoints; endpoints without any are omitted.
func (r Reader) WaitingDeliveries(
	ctx context.Context, environmentID string, endpointIDs []string,
) (waiting map[string]Waiting, err error) {
	rows, err := core.Queries.WebhookEndpointListBacklogs(ctx, r.Handle, dbsqlc.WebhookEndpointListBacklogsParams{
		EnvironmentID: environmentID, EndpointIds: core.PresentList(endpointIDs), AtMost: backlogCounted,
	})
	if err != nil {
		return nil, core.Translate("WebhookEndpointListBacklogs", err)
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
func (r Reader) narrow(ctx context.Context, span *core.Bounds, since, before time.Time) error {
	if since.IsZero() && before.IsZero() {
		return nil
	}
	if before.IsZero() {
		before = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	at, err := core.Queries.WebhookDeliveryPositions(ctx, r.Handle, dbsqlc.WebhookDeliveryPositionsParams{
		Since: since.Add(-time.Minute), Before: before.Add(time.Minute),
	})
	if err != nil {
		return core.Translate("WebhookDeliveryPositions", err)
	}
	if at.First == 0 { // no event is that new
		at.First = math.MaxInt64
	}
	span.Above, span.Below = max(span.Above, at.First-1), min(span.Below, at.Last+1)
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
	rows, err := core.Queries.WebhookEventListOfRange(ctx, r.Handle, dbsqlc.WebhookEventListOfRangeParams{
		EnvironmentID: environmentID, EndpointID: endpointID, After: max(in.After, id.Earliest(id.Event, in.Since)),
		Before: id.Earliest(id.Event, in.Before), RowLimit: int32(in.Limit + 1),
	})
	if err != nil {
		return nil, false, core.Translate("WebhookEventListOfRange", err)
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

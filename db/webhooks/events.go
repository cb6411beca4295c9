package webhooks

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"perennial/billing/event"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Event is a stored event. Sequence counts the events of its subscription from 1, CustomerSequence those of its
// customer, both without a gap; 0: it has none.
type Event struct {
	ID               string
	Sequence         int64
	CustomerSequence int64
	CreatedAt        time.Time // real

	Type           event.Type
	ObjectID       string
	CustomerID     string // empty: none
	SubscriptionID string // empty: none
	Data           json.RawMessage
	OccurredAt     time.Time // virtual on a test clock
}

// EventFilter narrows a list; empty: any.
type EventFilter struct {
	Types          []event.Pattern // each is a read of its own: send few
	ObjectID       string
	SubscriptionID string
	CustomerID     string
	// RecordedFrom and RecordedTo bound when the event was written, in real time:
	// from the first instant, before the second.
	RecordedFrom, RecordedTo time.Time
}

// EventWithKey reads key and event in one round trip. Faults: api_key_unknown; event_not_found, with the key.
func (r Reader) EventWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, Event, error) {
	row, err := core.Queries.EventGetWithKey(ctx, r.Handle, dbsqlc.EventGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "event", err)
		return key, Event{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), eventFromDB(row.Event), nil
}

// Event reads one. Fault: event_not_found.
func (r Reader) Event(ctx context.Context, environmentID, id string) (Event, error) {
	row, err := core.Queries.EventGet(ctx, r.Handle, dbsqlc.EventGetParams{EnvironmentID: environmentID, ID: id})
	return eventFromDB(row.Event), core.ReadError("event", err)
}

// Events lists an environment's.
func (r Reader) Events(
	ctx context.Context, environmentID string, f EventFilter, page core.Page,
) (events []Event, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	if span, err = r.recorded(ctx, environmentID, f, span); err != nil {
		return nil, false, err
	}
	in := dbsqlc.EventListParams{
		EnvironmentID: environmentID, ObjectID: core.Null(f.ObjectID), SubscriptionID: core.Null(f.SubscriptionID),
		CustomerID: core.Null(f.CustomerID), RecordedFrom: core.NullTime(f.RecordedFrom),
		RecordedTo: core.NullTime(f.RecordedTo),
		Below:      span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	}
	rows, err := r.eventsOf(ctx, event.Disjoint(f.Types), in)
	if err != nil {
		return nil, false, core.Translate("EventList", err)
	}
	events, hasMore = core.Cut(page, rows, func(row dbsqlc.EventListRow) Event { return eventFromDB(row.Event) })
	return events, hasMore, nil
}

// eventsOf reads the rows of one page. Each pattern is read along its own index, since no index has several of them in
// the order of the list; the page is merged from these.
func (r Reader) eventsOf(
	ctx context.Context, patterns []event.Pattern, in dbsqlc.EventListParams,
) ([]dbsqlc.EventListRow, error) {
	if len(patterns) == 0 {
		return core.Queries.EventList(ctx, r.Lists(), in)
	}
	var all []dbsqlc.EventListRow
	for _, p := range patterns {
		in.Type, in.TypeGroup = core.Null(string(p)), nil
		if group, ok := p.Group(); ok {
			in.Type, in.TypeGroup = nil, &group
		}
		rows, err := core.Queries.EventList(ctx, r.Lists(), in)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	slices.SortFunc(all, func(a, b dbsqlc.EventListRow) int {
		if in.Forward {
			a, b = b, a
		}
		return cmp.Compare(b.Event.Position, a.Event.Position)
	})
	return all[:min(len(all), int(in.RowLimit))], nil
}

// recorded narrows a span of positions to the events recorded in the filter's time.
func (r Reader) recorded(ctx context.Context, environmentID string, f EventFilter, span core.Bounds) (core.Bounds,
	error) {
	if f.RecordedFrom.IsZero() && f.RecordedTo.IsZero() {
		return span, nil
	}
	// the last one
	in := dbsqlc.EventPositionsAroundParams{EnvironmentID: environmentID, EndID: id.Event + strings.Repeat("z", 26)}
	if !f.RecordedFrom.IsZero() {
		in.FirstID = id.Earliest(id.Event, f.RecordedFrom.Add(-core.RecordingSlack))
	}
	if !f.RecordedTo.IsZero() {
		in.EndID = id.Earliest(id.Event, f.RecordedTo.Add(core.RecordingSlack))
	}
	around, err := core.Queries.EventPositionsAround(ctx, r.Lists(), in)
	if err != nil {
		return core.Bounds{}, core.Translate("EventPositionsAround", err)
	}
	return core.Bounds{Above: max(span.Above, around.Above), Below: min(span.Below, around.Below)}, nil
}

func eventFromDB(row dbsqlc.Event) Event {
	return Event{
		ID: row.ID, Sequence: core.Value(row.Sequence), CustomerSequence: core.Value(row.CustomerSequence),
		CreatedAt: row.CreatedAt,
		Type:      row.Type, ObjectID: row.ObjectID,
		CustomerID: core.Value(row.CustomerID), SubscriptionID: core.Value(row.SubscriptionID), Data: row.Data,
		OccurredAt: time.Unix(row.OccurredAt, 0).UTC(),
	}
}

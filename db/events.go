package db

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"perennial/billing/event"
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
func (r Reader) EventWithKey(ctx context.Context, hash []byte, id string) (APIKey, Event, error) {
	row, err := queries.EventGetWithKey(ctx, r.handle, dbsqlc.EventGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "event", err)
		return key, Event{}, err
	}
	return apiKeyFromDB(row.ApiKeyDetail), eventFromDB(row.Event), nil
}

// Events lists an environment's.
func (r Reader) Events(
	ctx context.Context, environmentID string, f EventFilter, page Page,
) (events []Event, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	if span, err = r.recorded(ctx, environmentID, f, span); err != nil {
		return nil, false, err
	}
	in := dbsqlc.EventListParams{
		EnvironmentID: environmentID, ObjectID: null(f.ObjectID), SubscriptionID: null(f.SubscriptionID),
		CustomerID: null(f.CustomerID), RecordedFrom: nullTime(f.RecordedFrom), RecordedTo: nullTime(f.RecordedTo),
		Below: span.below, Above: span.above, Forward: page.forward(), RowLimit: page.rowLimit(),
	}
	rows, err := r.eventsOf(ctx, event.Disjoint(f.Types), in)
	if err != nil {
		return nil, false, translate("EventList", err)
	}
	events, hasMore = cut(page, rows, func(row dbsqlc.EventListRow) Event { return eventFromDB(row.Event) })
	return events, hasMore, nil
}

// eventsOf reads the rows of one page. Each pattern is read along its own index, since no index has several of them in
// the order of the list; the page is merged from these.
func (r Reader) eventsOf(
	ctx context.Context, patterns []event.Pattern, in dbsqlc.EventListParams,
) ([]dbsqlc.EventListRow, error) {
	if len(patterns) == 0 {
		return queries.EventList(ctx, r.lists(), in)
	}
	var all []dbsqlc.EventListRow
	for _, p := range patterns {
		in.Type, in.TypeGroup = null(string(p)), nil
		if group, ok := p.Group(); ok {
			in.Type, in.TypeGroup = nil, &group
		}
		rows, err := queries.EventList(ctx, r.lists(), in)
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

// recordingSlack is by how much the order of positions and that of recording times may differ: processes whose clocks
// differ, and transactions that take long. A page bounded by time reads the events of this long beside it in vain.
const recordingSlack = time.Minute

// recorded narrows a span of positions to what was recorded in the time that the filter allows.
func (r Reader) recorded(ctx context.Context, environmentID string, f EventFilter, span bounds) (bounds, error) {
	if f.RecordedFrom.IsZero() && f.RecordedTo.IsZero() {
		return span, nil
	}
	// the last one
	in := dbsqlc.EventPositionsAroundParams{EnvironmentID: environmentID, EndID: id.Event + strings.Repeat("z", 26)}
	if !f.RecordedFrom.IsZero() {
		in.FirstID = id.Earliest(id.Event, f.RecordedFrom.Add(-recordingSlack))
	}
	if !f.RecordedTo.IsZero() {
		in.EndID = id.Earliest(id.Event, f.RecordedTo.Add(recordingSlack))
	}
	around, err := queries.EventPositionsAround(ctx, r.lists(), in)
	if err != nil {
		return bounds{}, translate("EventPositionsAround", err)
	}
	return bounds{above: max(span.above, around.Above), below: min(span.below, around.Below)}, nil
}

// Emit writes an event. It gets its ID, the next sequence numbers of its subscription and of its customer, and a
// timestamp that no other event of this type about this object has: at a collision it moves on by a second. The caller
// holds the lock of the object. Every endpoint of the environment that wants the type is owed a delivery of it.
func (tx *Tx) Emit(ctx context.Context, environmentID string, e event.Event) error {
	return tx.emit(ctx, environmentID, "", e)
}

func (tx *Tx) emit(ctx context.Context, environmentID, endpointID string, e event.Event) error {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return fmt.Errorf("db: data of event %s: %w", e.Type(), err)
	}
	eventID := id.New(id.Event, tx.Real)
	tx.owe(environmentID, eventID, endpointID)
	return queries.EventInsert(ctx, tx.pipe, dbsqlc.EventInsertParams{
		ID: eventID, EnvironmentID: environmentID, Type: e.Type(), ObjectID: e.ObjectID(),
		CustomerID:     null(e.CustomerID()),
		SubscriptionID: null(e.SubscriptionID()), Data: data, OccurredAt: e.OccurredAt.Unix(), CreatedAt: tx.Real,
	})
}

func eventFromDB(row dbsqlc.Event) Event {
	return Event{
		ID: row.ID, Sequence: value(row.Sequence), CustomerSequence: value(row.CustomerSequence), CreatedAt: row.CreatedAt,
		Type: row.Type, ObjectID: row.ObjectID,
		CustomerID: value(row.CustomerID), SubscriptionID: value(row.SubscriptionID), Data: row.Data,
		OccurredAt: time.Unix(row.OccurredAt, 0).UTC(),
	}
}

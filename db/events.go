package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"perennial/billing/event"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Event is a stored event. Sequence orders the events of one subscription; 0: it has none.
type Event struct {
	ID        string
	Sequence  int64
	CreatedAt time.Time // real

	Type           event.Type
	ObjectID       string
	CustomerID     string // empty: none
	SubscriptionID string // empty: none
	Data           json.RawMessage
	OccurredAt     time.Time // virtual on a test clock
}

// EventFilter narrows a list; empty: any.
type EventFilter struct {
	Type           event.Type
	SubscriptionID string
	CustomerID     string
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
	rows, err := queries.EventList(ctx, r.lists(), dbsqlc.EventListParams{
		EnvironmentID: environmentID, Type: null(string(f.Type)), SubscriptionID: null(f.SubscriptionID), CustomerID: null(f.CustomerID),
		Below: span.below, Above: span.above, Forward: page.forward(), RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("EventList", err)
	}
	events, hasMore = cut(page, rows, func(row dbsqlc.EventListRow) Event { return eventFromDB(row.Event) })
	return events, hasMore, nil
}

// Emit writes an event. It gets its ID, the next sequence number of its subscription, and a timestamp that no other
// event of this type about this object has: at a collision it moves on by a second. The caller holds the lock of the
// object. Every endpoint of the environment that wants the type is owed a delivery of it.
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
		ID: row.ID, Sequence: value(row.Sequence), CreatedAt: row.CreatedAt, Type: row.Type, ObjectID: row.ObjectID,
		CustomerID: value(row.CustomerID), SubscriptionID: value(row.SubscriptionID), Data: row.Data,
		OccurredAt: time.Unix(row.OccurredAt, 0).UTC(),
	}
}

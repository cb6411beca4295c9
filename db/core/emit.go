package core

import (
	"context"
	"encoding/json"
	"fmt"

	"perennial/billing/event"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

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
	if endpointID == "" {
		tx.oweMail(environmentID, eventID, e.Data)
	}
	return Queries.EventInsert(ctx, tx.Pipe, dbsqlc.EventInsertParams{
		ID: eventID, EnvironmentID: environmentID, Type: e.Type(), ObjectID: e.ObjectID(),
		CustomerID:     Null(e.CustomerID()),
		SubscriptionID: Null(e.SubscriptionID()), Data: data, OccurredAt: e.OccurredAt.Unix(), CreatedAt: tx.Real,
	})
}

package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
)

func TestEventRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	e := anEvent(b.subscription)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Emit(ctx, b.env, e)) })
	events, more, err := b.store.Webhooks.Events(t.Context(), b.env, db.EventFilter{}, db.Page{})
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, events, 1)
	require.True(t, id.Is(id.Event, events[0].ID))
	require.JSONEq(t, stored(t, e.Data), string(events[0].Data))
	require.Equal(t, db.Event{
		ID: events[0].ID, Sequence: 1, CustomerSequence: 1, CreatedAt: wall, Type: event.TypeSubscriptionUpdated,
		ObjectID: b.subscription.ID, CustomerID: b.customer.ID, SubscriptionID: b.subscription.ID,
		Data: events[0].Data, OccurredAt: e.OccurredAt,
	}, events[0])
	key, got, err := b.store.Webhooks.EventWithKey(t.Context(), b.hash, events[0].ID)
	require.NoError(t, err)
	require.Equal(t, b.key, key.ID)
	require.Equal(t, events[0], got)
}

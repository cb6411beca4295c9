package db_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
)

// Subscriptions of one customer work concurrently, each under its own lock. The customer's events are numbered without
// a gap nevertheless, even where transactions are rolled back, and in the order in which they are listed.
func TestCustomerSequence_ConcurrentSubscriptionsOfOneCustomer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const each, subscriptions = 3, 4
	subs := []subscription.Subscription{b.subscription}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for range subscriptions - 1 {
			s := newSubscription(b.environment)
			s.ID = id.New(id.Subscription, wall)
			require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, s))
			subs = append(subs, s)
		}
	})
	thoughtBetter := errors.New("rolled back")
	errs := atOnce(sessions, func(i int) error {
		s := subs[i%subscriptions]
		err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
			if _, err := tx.Lifecycle.LockSubscription(ctx, b.env, s.ID); err != nil {
				return err
			}
			for range each {
				if err := tx.Emit(ctx, b.env, anEvent(s)); err != nil {
					return err
				}
			}
			if i%5 != 0 {
				return nil
			}
			if _, err := tx.Reconcile.Epoch(ctx); err != nil { // a read sends what is queued
				return err
			}
			return thoughtBetter
		})
		if errors.Is(err, thoughtBetter) {
			return nil
		}
		return err
	})
	require.NoError(t, errors.Join(errs...))
	rows, err := b.pool.Query(t.Context(),
		"select subscription_id, sequence, customer_sequence from events order by position")
	require.NoError(t, err)
	type numbered struct {
		Subscription               string
		Sequence, CustomerSequence int64
	}
	events, err := pgx.CollectRows(rows, pgx.RowToStructByPos[numbered])
	require.NoError(t, err)
	require.NotEmpty(t, events)
	last := map[string]int64{}
	seen := map[int64]bool{}
	for _, e := range events {
		require.Equal(t, last[e.Subscription]+1, e.Sequence, "no gap in a subscription")
		last[e.Subscription] = e.Sequence
		require.False(t, seen[e.CustomerSequence])
		seen[e.CustomerSequence] = true
	}
	for n := range len(events) {
		require.True(t, seen[int64(n+1)], "no gap in a customer: %d of %d", n+1, len(events))
	}
	require.Equal(t, len(events), b.count(t, "select last from customer_event_sequences where customer_id = $1",
		b.customer.ID))
}

func TestCustomerSequence_OneTransactionInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Emit(ctx, b.env, event.New(event.CustomerUpdated{ID: b.customer.ID}, now)))
		require.NoError(t, tx.Emit(ctx, b.env, anEvent(b.subscription)))
		require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PlanUpdated{ID: b.plan.ID}, now)))
		require.NoError(t, tx.Emit(ctx, b.env, event.New(event.CustomerUpdated{ID: b.customer.ID}, now)))
	})
	events, _, err := b.store.Webhooks.Events(t.Context(), b.env, db.EventFilter{}, db.Page{})
	require.NoError(t, err)
	var got [][2]int64
	for _, e := range events {
		got = append(got, [2]int64{e.CustomerSequence, e.Sequence})
	}
	require.Equal(t, [][2]int64{{3, 0}, {0, 0}, {2, 1}, {1, 0}}, got, "newest first; a plan belongs to nobody")
}

// Several patterns are one list: in order, without repeats, and page by page in both directions.
func TestEvents_SeveralPatternsAreOneList(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for i := range 30 {
			for _, data := range []event.Data{
				event.PlanCreated{ID: fmt.Sprint("plan", i)}, event.PlanUpdated{ID: fmt.Sprint("plan", i)},
				event.CustomerUpdated{ID: b.customer.ID}, event.TestClockAdvanced{ID: b.clock.ID},
			} {
				require.NoError(t, tx.Emit(ctx, b.env, event.New(data, now)))
			}
		}
	})
	filter := db.EventFilter{Types: []event.Pattern{"plan.updated", "customer.*", "plan.updated", "customer.updated"}}
	var want []string
	all, _, err := b.store.Webhooks.Events(t.Context(), b.env, db.EventFilter{}, db.Page{Limit: 120})
	require.NoError(t, err)
	for _, e := range all {
		if e.Type == event.TypePlanUpdated || e.Type == event.TypeCustomerUpdated {
			want = append(want, e.ID)
		}
	}
	require.Len(t, want, 60)
	walk := func(page func(seen []db.Event) db.Page, add func(seen, rows []db.Event) []db.Event) []db.Event {
		var seen []db.Event
		for {
			rows, more, err := b.store.Webhooks.Events(t.Context(), b.env, filter, page(seen))
			require.NoError(t, err)
			seen = add(seen, rows)
			if !more {
				return seen
			}
		}
	}
	older := walk(func(seen []db.Event) db.Page {
		if len(seen) == 0 {
			return db.Page{Limit: 7}
		}
		return db.Page{Limit: 7, StartingAfter: seen[len(seen)-1].ID}
	}, func(seen, rows []db.Event) []db.Event { return append(seen, rows...) })
	require.Equal(t, want, idsOf(older))
	newer := walk(func(seen []db.Event) db.Page {
		if len(seen) == 0 {
			return db.Page{Limit: 7, EndingBefore: want[len(want)-1]}
		}
		return db.Page{Limit: 7, EndingBefore: seen[0].ID}
	}, func(seen, rows []db.Event) []db.Event { return append(rows, seen...) })
	require.Equal(t, want[:len(want)-1], idsOf(newer))
}

// Two processes whose clocks differ record concurrently: a span of time finds exactly the events with a time within it.
func TestEvents_SpanOfTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	start := wall.Truncate(time.Second)
	at := start
	store, err := db.Open(t.Context(), db.Config{URL: b.pool.Config().ConnString(), MaxConns: 2, Clock: func() time.Time {
		return at
	}})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	recorded := map[string]time.Time{}
	for i := range 60 {
		at = start.Add(time.Duration(i)*10*time.Second + time.Duration(i%2)*25*time.Second)
		require.NoError(t, store.InTx(t.Context(), db.BySystem("test"), at, func(tx *db.Tx) error {
			return tx.Emit(t.Context(), b.env, event.New(event.PlanCreated{ID: fmt.Sprint(i)}, now))
		}))
		recorded[fmt.Sprint(i)] = at
	}
	for _, span := range [][2]time.Time{
		{}, {start.Add(100 * time.Second), {}}, {{}, start.Add(100 * time.Second)},
		{start.Add(50 * time.Second), start.Add(400 * time.Second)},
		{start.Add(50 * time.Second), start.Add(51 * time.Second)},
		{start.Add(time.Hour), {}}, {{}, start},
	} {
		events, _, err := b.store.Webhooks.Events(t.Context(), b.env,
			db.EventFilter{RecordedFrom: span[0], RecordedTo: span[1]},
			db.Page{Limit: 100})
		require.NoError(t, err)
		want := 0
		for _, at := range recorded {
			if !at.Before(span[0]) && (span[1].IsZero() || at.Before(span[1])) {
				want++
			}
		}
		require.Len(t, events, want, "%v", span)
		for _, e := range events {
			require.False(t, e.CreatedAt.Before(span[0]))
			require.True(t, span[1].IsZero() || e.CreatedAt.Before(span[1]))
		}
	}
}

func idsOf(events []db.Event) (ids []string) {
	for _, e := range events {
		ids = append(ids, e.ID)
	}
	return ids
}

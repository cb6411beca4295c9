package api

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/db"
	"perennial/internal/id"
)

// awake lets a subscription's workflow act on its wake-up.
func (b *bench) awake(t testing.TB, subscriptionID string) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.ClearWakePending(ctx, b.test.environmentID, b.state(ctx, t, tx, subscriptionID))
	})
}

// newCollected is a subscription whose first charge is under way.
func (b *bench) newCollected(t *testing.T) Subscription {
	t.Helper()
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": b.newPlan(t, b.test).ID}))
	b.begin(t, sub.ID)
	return sub
}

// state loads a subscription's state under lock.
func (b *bench) state(ctx context.Context, t testing.TB, tx *db.Tx, subscriptionID string) lifecycle.State {
	t.Helper()
	state, err := tx.Lifecycle.LockSubscription(ctx, b.test.environmentID, subscriptionID)
	require.NoError(t, err)
	return state
}

// multiply gives the customer of a subscription more like it.
func (b *bench) multiply(t testing.TB, subscriptionID string, more int) {
	t.Helper()
	ids := make([]string, more)
	for i := range ids {
		ids[i] = id.New(id.Subscription, b.clock())
	}
	tag, err := b.pool.Exec(t.Context(), `
		insert into subscriptions
		select (jsonb_populate_record(s, jsonb_build_object('id', copy.id))).*
		from subscriptions s, unnest($2::text[]) copy(id) where s.id = $1`, subscriptionID, ids)
	require.NoError(t, err)
	require.EqualValues(t, more, tag.RowsAffected())
}

// Commands do not need Temporal: the row records that a signal is owed, and the reconciler sends it.
func TestCommand_WithoutTemporal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.away()
	next := b.newPlan(t, b.test)
	for _, c := range []struct {
		method, path, body string
		on                 Subscription
		owed               int // signals
	}{
		{"POST", "/cancel", `{"immediateEffect":true}`, b.newSubscription(t, b.test), 1},
		{"POST", "/cancel", `{}`, b.newCollected(t), 1},
		{"PATCH", "", `{"planId":"` + next.ID + `"}`, b.newSubscription(t, b.test), 0}, // in a trial: nothing to do
	} {
		sub := c.on
		got := b.ask(t, b.test, c.method, "/api/subscriptions/"+sub.ID+c.path, c.body)
		require.Equal(t, 200, got.Status, "%s", got.Body)
		require.Equal(t, c.owed,
			b.count(t, "select count(*) from subscriptions where id = $1 and wake_pending_since is not null", sub.ID))
		require.Contains(t, b.log.String(), sub.ID, "the log says whose workflow was not told")
	}
	sub := b.newDebt(t)
	paid := as[Payment](t, 201, b.ask(t, b.test, "POST", "/api/payments", map[string]any{"subscriptionId": sub.ID}))
	require.Equal(t, "pending", paid.Status)
	require.Equal(t, 1, b.count(t, "select count(*) from subscriptions where id = $1 and wake_pending_since is not null",
		sub.ID))

	clock := as[TestClock](t, 201, b.ask(t, b.test, "POST", "/api/test-clocks", `{"now":1600000000}`))
	moved := as[TestClock](t, 200, b.ask(t, b.test, "POST", "/api/test-clocks/"+clock.ID+"/advance", `{"to":1600000100}`))
	require.Equal(t, "advancing", moved.Status)
	require.EqualValues(t, 1600000100, moved.Target)
}

// Only the transaction that gave a sleeping workflow something to do signals it: those behind it are seen when it
// looks.
func TestCommand_BurstSignalsOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newCollected(t)
	path := "/api/subscriptions/" + sub.ID
	for round := range 2 {
		b.engine.woken = nil
		for range 5 {
			require.Equal(t, 200, b.ask(t, b.test, "POST", path+"/cancel", `{}`).Status)
			require.Equal(t, 200, b.ask(t, b.test, "POST", path+"/reactivate", nil).Status)
		}
		require.Len(t, b.engine.woken, 1, "round %d", round)
		b.awake(t, sub.ID)
	}
}

// Of any number of concurrent commands on one subscription, each learns at once whether it was performed. A command
// with the status 429 or 503 was not performed.
func TestCommand_ManyOnOneSubscription(t *testing.T) {
	t.Parallel()
	const parallel = 50
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	plans := make([]string, parallel)
	for i := range plans {
		plans[i] = b.newPlan(t, b.test).ID
	}
	release := b.hold(t, "select 1 from subscriptions where id = $1 for update", sub.ID)
	answers, answered := make([]response, parallel), make(chan int, parallel)
	for i, planID := range plans {
		r := b.request(t, "PATCH", "/api/subscriptions/"+sub.ID, fmt.Sprintf(`{"planId":%q}`, planID),
			"Authorization", "Bearer "+b.test.key, "Idempotency-Key", "change-"+strconv.Itoa(i))
		go func() {
			answers[i] = b.serve(r)
			answered <- i
		}()
	}
	for range parallel - 8 { // they do not wait for the admitted ones
		turnedAway := answers[<-answered]
		problem(t, 429, "too_many_commands", "", turnedAway)
		require.NotEmpty(t, turnedAway.Header.Get("Retry-After"))
	}
	require.LessOrEqual(t, b.waiting(t), 8)
	release()
	performed := 0
	for range 8 {
		i := <-answered
		switch a := answers[i]; a.Status {
		case 200:
			performed++
			require.Equal(t, plans[i], as[Subscription](t, 200, a).PlanID)
		case 409:
			require.NotEmpty(t, a.Header.Get("Retry-After"), "%s", a.Body)
		default:
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	require.Positive(t, performed)
	require.Equal(t, performed,
		b.count(t, "select count(*) from events where type = 'subscription.updated' and object_id = $1", sub.ID))
	require.Equal(t, performed,
		b.count(t, "select count(*) from idempotency_keys where status_code = 200 and route like 'PATCH%'"))
	for i, a := range answers {
		if a.Status != 200 { // not remembered either: the repeat is performed
			again := b.ask(t, b.test, "PATCH", "/api/subscriptions/"+sub.ID, fmt.Sprintf(`{"planId":%q}`, plans[i]),
				"Idempotency-Key", "change-"+strconv.Itoa(i))
			require.Equal(t, 200, again.Status, "%s", again.Body)
			require.Empty(t, again.Header.Get("Idempotent-Replayed"))
		}
	}
}

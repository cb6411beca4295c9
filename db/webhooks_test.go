package db_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/db"
	"perennial/internal/id"
)

// endpoint adds an enabled endpoint with the patterns.
func (b *bundle) endpoint(t *testing.T, env string, patterns ...string) string {
	t.Helper()
	e := db.WebhookEndpoint{
		ID: id.New(id.Endpoint, wall), URL: "https://example.com/hook", Events: patterns, PayloadShape: event.ShapeA,
		Endpoint: delivery.Endpoint{SecretSealed: []byte("sealed")},
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Webhooks.InsertEndpoint(ctx, env, e)) })
	return e.ID
}

// deliveries lists the deliveries of an endpoint, oldest first.
func (b *bundle) deliveries(t *testing.T, env, endpoint string) []db.WebhookDelivery {
	t.Helper()
	found, _, err := b.store.Webhooks.Deliveries(t.Context(), env, db.WebhookDeliveryFilter{EndpointID: endpoint},
		db.Page{Limit: 100, Unsettled: true})
	require.NoError(t, err)
	for i, j := 0, len(found)-1; i < j; i, j = i+1, j-1 {
		found[i], found[j] = found[j], found[i]
	}
	return found
}

// emit writes events and returns the endpoints that the commit woke.
func (b *bundle) emit(t *testing.T, env string, do func(ctx context.Context, tx *db.Tx)) []db.Effect {
	t.Helper()
	var d heard
	require.NoError(t, b.store.With(&d).InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
		do(t.Context(), tx)
		return nil
	}))
	return d.effects
}

type heard struct{ effects []db.Effect }

func (h *heard) Dispatch(_ context.Context, _ db.Actor, effects []db.Effect) { h.effects = effects }

func TestEmit_OwesTheEventToEachEndpointThatWantsIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	all, plans, payments := b.endpoint(t, b.env, "*"), b.endpoint(t, b.env, "plan.*", "plan.created"), b.endpoint(t, b.env,
		"payment.*")
	elsewhere := b.endpoint(t, b.newEnvironment(t).env, "*")
	woken := b.emit(t, b.env, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PlanCreated{ID: "plan_1"}, now)))
		require.NoError(t, tx.Emit(ctx, b.env,
			event.New(event.SubscriptionActivated{Subscription: event.OfSubscription(b.subscription.ID, b.customer.ID)}, now)))
	})
	require.ElementsMatch(t, []db.Effect{
		db.WakeEndpoint{EnvironmentID: b.env, ID: all}, db.WakeEndpoint{EnvironmentID: b.env, ID: plans},
	}, woken)
	require.Len(t, b.deliveries(t, b.env, all), 2)
	require.Empty(t, b.deliveries(t, b.env, payments))
	require.Zero(t, b.count(t, "select count(*) from webhook_deliveries where endpoint_id = $1", elsewhere))
	got := b.deliveries(t, b.env, plans)
	require.Len(t, got, 1)
	require.True(t, id.Is(id.Delivery, got[0].ID), got[0].ID)
	got[0].ID = ""
	events, _, err := b.store.Webhooks.Events(t.Context(), b.env,
		db.EventFilter{Types: []event.Pattern{event.Pattern(event.TypePlanCreated)}}, db.Page{})
	require.NoError(t, err)
	require.Equal(t, db.WebhookDelivery{
		EndpointID: plans, EventID: events[0].ID, EventType: event.TypePlanCreated, ObjectID: "plan_1",
		PayloadShape: event.ShapeA,
		Status:       delivery.Pending, NextAttemptAt: wall, CreatedAt: wall,
	}, got[0])
}

func TestEmit_SignalsAnEndpointOnceUntilItLooks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint := b.endpoint(t, b.env, "*")
	emit := func() []db.Effect {
		return b.emit(t, b.env, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PlanCreated{ID: id.New(id.Plan, wall)}, now)))
		})
	}
	require.Equal(t, []db.Effect{db.WakeEndpoint{EnvironmentID: b.env, ID: endpoint}}, emit())
	require.Empty(t, emit(), "a signal is under way")
}

func TestEmitTo_OwesTheEventToOneEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, other := b.endpoint(t, b.env, "invoice.paid"), b.endpoint(t, b.env, "*")
	var eventID string
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		var err error
		eventID, err = tx.EmitTo(ctx, b.env, one, event.New(event.PlanCreated{ID: "plan_1"}, now))
		require.NoError(t, err)
	})
	got := b.deliveries(t, b.env, one)
	require.Len(t, got, 1)
	require.Equal(t, eventID, got[0].EventID)
	require.Equal(t, db.WebhookDeliveryID(eventID, one), got[0].ID, "the same rule as the database's")
	require.Empty(t, b.deliveries(t, b.env, other))
}

func TestWants_IsTheRuleOfTheDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pattern := rapid.OneOf(rapid.StringMatching(`[a-c]{1,2}(\.[a-c]{1,2})?(\.\*)?`),
		rapid.SampledFrom([]string{"*", "a*", ".*", "a.*b", "*.a"}))
	rapid.Check(t, func(rt *rapid.T) {
		patterns := rapid.SliceOfN(pattern, 1, 4).Draw(rt, "patterns")
		typ := strings.TrimSuffix(rapid.StringMatching(`[a-c]{1,2}(\.[a-c]{1,2}){0,2}`).Draw(rt, "type"), ".")
		var matches bool
		require.NoError(rt, b.pool.QueryRow(t.Context(), "select event_matches($1, $2)", typ, patterns).Scan(&matches))
		require.Equal(rt, matches, delivery.Wants(patterns, event.Type(typ)))
	})
}

// A writer that finds the endpoint being woken sends no signal. The horizon shows the reader that it has not committed
// yet.
func TestEventHorizon_StandsBeforeAWriterThatFoundTheEndpointAwake(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint := b.endpoint(t, b.env, "*")
	emit := func(ctx context.Context, tx *db.Tx) error {
		return tx.Emit(ctx, b.env, event.New(event.PlanCreated{ID: id.New(id.Plan, wall)}, now))
	}
	require.NoError(t, b.try(t, emit)) // the mark is set
	inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- b.try(t, func(ctx context.Context, tx *db.Tx) error {
			if err := emit(ctx, tx); err != nil {
				return err
			}
			if _, err := tx.Reconcile.Epoch(ctx); err != nil { // the event is written
				return err
			}
			close(inside)
			<-leave
			return nil
		})
	}()
	<-inside
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		_, err := tx.Webhooks.BeginDeliveries(ctx, b.env, endpoint)
		require.NoError(t, err)
	})
	_, last, err := b.store.Webhooks.EventHorizon(t.Context(), b.env)
	require.NoError(t, err)
	horizon, _, err := b.store.Webhooks.EventHorizon(t.Context(), b.env)
	require.NoError(t, err)
	require.Less(t, horizon, last)
	close(leave)
	require.NoError(t, <-done)
	horizon, _, err = b.store.Webhooks.EventHorizon(t.Context(), b.env)
	require.NoError(t, err)
	require.GreaterOrEqual(t, horizon, last)
	due, err := b.store.Webhooks.DueDeliveries(t.Context(), b.env, endpoint, 1, wall, 10)
	require.NoError(t, err)
	require.Len(t, due, 2)
}

func TestEndpointsThatSleep_AreFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	woken, due := b.endpoint(t, b.env, "plan.created"), b.endpoint(t, b.env, "*")
	b.endpoint(t, b.env, "payment.*") // owed nothing
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PlanCreated{ID: "plan_1"}, now)))
	})
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		_, err := tx.Webhooks.BeginDeliveries(ctx, b.env, due)
		require.NoError(t, err)
		require.NoError(t, tx.Webhooks.SetEndpointNextAttempt(ctx, b.env, due, wall.Add(10*time.Minute)))
	})
	asleep := func(wokenBefore, dueBefore time.Time) []string {
		refs, err := b.store.Reconcile.AsleepEndpoints(t.Context(), wokenBefore, dueBefore, 10)
		require.NoError(t, err)
		ids := []string{}
		for _, r := range refs {
			ids = append(ids, r.ID)
		}
		return ids
	}
	require.Empty(t, asleep(wall, wall))
	require.Equal(t, []string{woken}, asleep(wall.Add(time.Second), wall))
	require.Equal(t, []string{woken, due}, asleep(wall.Add(time.Second), wall.Add(time.Hour)))
	unstarted, err := b.store.Reconcile.UnstartedEndpoints(t.Context(), 1, 10)
	require.NoError(t, err)
	require.Len(t, unstarted, 3)
	b.setStarted(t, db.StartedEndpoints, 1, unstarted...)
	unstarted, err = b.store.Reconcile.UnstartedEndpoints(t.Context(), 1, 10)
	require.NoError(t, err)
	require.Empty(t, unstarted)
	backlog, err := b.store.Webhooks.Backlog(t.Context(), wall.Add(2*time.Minute), time.Minute, time.Hour)
	require.NoError(t, err)
	require.Equal(t, db.WebhookBacklog{Late: 1, DueAge: 2 * time.Minute}, backlog)
}

func TestPurgeWebhookLog_KeepsWhatIsYoungOrPending(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint := b.endpoint(t, b.env, "*")
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for range 3 {
			require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PlanCreated{ID: id.New(id.Plan, wall)}, now)))
		}
	})
	owed := b.deliveries(t, b.env, endpoint)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		starts := []db.AttemptStart{{DeliveryID: owed[0].ID, Number: 1}, {DeliveryID: owed[1].ID, Number: 1}}
		var begin []db.NewAttempt
		for _, s := range starts {
			begin = append(begin, db.NewAttempt{AttemptStart: s, EndpointID: endpoint, Revision: 1})
		}
		require.NoError(t, tx.Webhooks.StartAttempts(ctx, b.env, begin, func(string) {}))
		end := delivery.End{Outcome: delivery.OutcomeSucceeded, At: wall}
		next := delivery.TestPolicy.Next(delivery.State{}, end)
		require.NoError(t, tx.Webhooks.EndAttempts(ctx, b.env, []db.AttemptEnd{
			{AttemptStart: starts[0], End: end, Next: next, AttemptResult: db.AttemptResult{StatusCode: 200}},
			{AttemptStart: starts[1], End: end, Next: next, AttemptResult: db.AttemptResult{StatusCode: 200}},
		}))
	})
	_, err := b.pool.Exec(t.Context(),
		"update webhook_deliveries set created_at = created_at - interval '91 days' where id <> $1", owed[1].ID)
	require.NoError(t, err)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		purged, err := tx.Webhooks.PurgeLog(ctx, wall.Add(-delivery.Retention), 10)
		require.NoError(t, err)
		require.Equal(t, 1, purged)
	})
	require.Len(t, b.deliveries(t, b.env, endpoint), 2)
	require.Equal(t, 1, b.count(t, "select count(*) from webhook_attempts"))
}

func TestEmit_SignalsAgainWhereTheSignalMayBeLost(t *testing.T) {
	t.Parallel()
	b := setup(t)
	endpoint := b.endpoint(t, b.env, "*")
	emit := func() []db.Effect {
		return b.emit(t, b.env, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PlanCreated{ID: id.New(id.Plan, wall)}, now)))
		})
	}
	require.Len(t, emit(), 1)
	_, err := b.pool.Exec(t.Context(),
		"update webhook_endpoints set wake_pending_since = wake_pending_since - interval '6 seconds'")
	require.NoError(t, err)
	require.Equal(t, []db.Effect{db.WakeEndpoint{EnvironmentID: b.env, ID: endpoint}}, emit())
	require.Empty(t, emit())
}

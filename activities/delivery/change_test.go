package delivery_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/scene"
	"perennial/webhooks"
)

// meddling is a receiver that answers 200 and has something done during one request.
type meddling struct {
	mu     sync.Mutex
	urls   []string
	during int // the request, from 1
	do     func()
}

func (m *meddling) Send(_ context.Context, r webhooks.Request) webhooks.Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.urls = append(m.urls, r.URL); len(m.urls) == m.during {
		m.do()
	}
	return webhooks.Result{Status: 200}
}

// A worker that ends has read only 50 of 60 due deliveries of one subscription and made all 50. Nothing else would wake
// the endpoint for the other ten.
func TestDeliverDue_StoppedWorkerLeavesTheRestDue(t *testing.T) {
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	env, stop := suite.NewTestActivityEnvironment(), make(chan struct{})
	p := newPost(t, &meddling{during: 50, do: func() { close(stop) }})
	ref := p.Endpoint(t, "https://example.com/", "subscription.updated")
	c := p.Customer(t, "")
	of := event.OfSubscription(p.Subscribe(t, c, p.Plan(t, scene.Monthly(1000))).ID, c.ID)
	p.InTx(t, func(tx *db.Tx) error {
		for range 60 {
			updated := event.New(event.SubscriptionUpdated{Subscription: of}, p.Clock.Now())
			if err := tx.Emit(t.Context(), p.Env, updated); err != nil {
				return err
			}
		}
		return nil
	})
	env.SetWorkerStopChannel(stop)
	env.RegisterActivity(p.deliveries.DeliverDue)

	val, err := env.ExecuteActivity(p.deliveries.DeliverDue, contract.DeliverInput{Ref: ref})

	require.NoError(t, err)
	var out contract.DeliverOutput
	require.NoError(t, val.Get(&out))
	require.Equal(t, 10, out.Waiting)
	require.Equal(t, p.Clock.Now(), out.NextAt.UTC())
	require.Equal(t, 10, p.due(t, ref, false).Succeeded)
}

// Up to fifty deliveries are read at once. Of an endpoint that is changed meanwhile none of them begins any more.
func TestDeliverDue_ChangeTakesEffectAtTheNextAttempt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(e *db.WebhookEndpoint, now time.Time)
		urls   []string // of the requests after the one during which the endpoint is changed
		reason delivery.FailedReason
	}{
		"moved": {
			change: func(e *db.WebhookEndpoint, _ time.Time) { e.URL = "https://new.example.com/" },
			urls:   slices.Repeat([]string{"https://new.example.com/"}, 9),
		},
		"disabled": {change: func(e *db.WebhookEndpoint, now time.Time) {
			e.Status, e.DisabledAt, e.DisabledReason = delivery.EndpointDisabled, now, delivery.DisabledByRequest
		}, reason: delivery.FailedEndpointDisabled},
		"deleted": {change: func(e *db.WebhookEndpoint, now time.Time) {
			e.Status, e.DisabledAt, e.DisabledReason = delivery.EndpointDisabled, now, delivery.DisabledDeleted
			e.DeletedAt = now
		}, reason: delivery.FailedEndpointDisabled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := &meddling{during: 1}
			p := newPost(t, receiver)
			ref := p.Endpoint(t, "https://example.com/", "plan.*")
			receiver.do = func() {
				p.change(t, ref, func(e *db.WebhookEndpoint) { c.change(e, p.Clock.Now()) })
			}
			p.Announce(t, 10)

			p.due(t, ref, false)
			p.due(t, ref, false) // the signal of the change

			require.Equal(t, append([]string{"https://example.com/"}, c.urls...), receiver.urls)
			deliveries, attempts := p.log(t, ref)
			require.Len(t, deliveries, 10)
			for i, d := range deliveries {
				require.NotEqual(t, delivery.Pending, d.Status)
				if i > 0 {
					require.Equal(t, c.reason, d.FailedReason)
					require.Len(t, attempts[d.ID], min(1, len(c.urls)), "delivery %d", i)
				}
			}
		})
	}
}

// A writer that found the endpoint enabled and woken commits after the endpoint's workflow has looked. No other signal
// comes, so the workflow must wait for the writer's deliveries.
func TestDeliverDue_DisabledEndpointWaitsForWritersThatFoundItEnabled(t *testing.T) {
	t.Parallel()
	p := newPost(t, &meddling{})
	ref := p.Endpoint(t, "https://example.com/", "*")
	p.Announce(t, 1)
	writer, err := p.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = writer.Rollback(context.Background()) }()
	eventID := id.New(id.Event, p.Clock.Now())
	_, err = writer.Exec(t.Context(), `insert into events (id, environment_id, type, object_id, data, occurred_at, created_at)
		select $1, environment_id, type, 'plan_2', data, occurred_at, created_at from events where environment_id = $2 limit 1`,
		eventID, p.Env)
	require.NoError(t, err)
	_, err = writer.Exec(t.Context(), `insert into webhook_deliveries (environment_id, id, endpoint_id, event_id, event_type,
			object_id, payload_shape, status, next_attempt_at, created_at)
		select environment_id, 'whd_2', endpoint_id, $1, event_type, object_id, payload_shape, status, next_attempt_at, created_at
		from webhook_deliveries where environment_id = $2`, eventID, p.Env)
	require.NoError(t, err)
	p.change(t, ref, func(e *db.WebhookEndpoint) {
		e.Status, e.DisabledAt, e.DisabledReason = delivery.EndpointDisabled, p.Clock.Now(), delivery.DisabledByRequest
	})

	out := p.due(t, ref, false)
	require.False(t, out.Gone, "a writer is under way")
	require.Equal(t, time.Second, out.NextAt.Sub(p.Clock.Now()))
	require.NoError(t, writer.Commit(t.Context()))

	require.True(t, p.due(t, ref, false).Gone)
	deliveries, _ := p.log(t, ref)
	require.Len(t, deliveries, 2)
	for _, d := range deliveries {
		require.Equal(t, delivery.FailedEndpointDisabled, d.FailedReason)
	}
}

package activities_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/scene"
	"perennial/webhooks"
)

// post is a scene with webhook endpoints.
type post struct {
	*scene.Scene
	deliveries *activities.Deliveries
	disabled   []string
	mu         sync.Mutex
}

const (
	secretOfTests   = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	previousOfTests = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

type openSecrets struct{}

func (openSecrets) EndpointSecrets(e db.WebhookEndpoint, at time.Time) ([]string, error) {
	if at.Before(e.PreviousSecretUntil) {
		return []string{secretOfTests, previousOfTests}, nil
	}
	return []string{secretOfTests}, nil
}

func (p *post) AttemptEnded(context.Context, string, string, time.Duration, time.Duration) {}

func (p *post) EndpointDisabled(_ context.Context, _, endpointID string, _ time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.disabled = append(p.disabled, endpointID)
}

func newPost(t *testing.T, sender activities.Sender) *post {
	t.Helper()
	p := &post{Scene: scene.New(t)}
	if sender == nil {
		real := webhooks.NewSender(webhooks.Options{Now: time.Now, Allow: loopback(t), Limit: 3 * time.Second})
		t.Cleanup(real.Close)
		sender = real
	}
	p.deliveries = &activities.Deliveries{
		Store: p.Store, Clock: p.Clock.Now, Sender: sender, Secrets: openSecrets{}, Observer: p, SlowAfter: 200 * time.Millisecond,
	}
	return p
}

func loopback(t *testing.T) webhooks.Allow {
	t.Helper()
	allow, err := webhooks.ParseAllow("127.0.0.1")
	require.NoError(t, err)
	return allow
}

// endpoint registers a receiver.
func (p *post) endpoint(t *testing.T, url string, patterns ...string) contract.Ref {
	t.Helper()
	e := db.WebhookEndpoint{
		ID: id.New(id.Endpoint, p.Clock.Now()), URL: url, Events: patterns, PayloadShape: delivery.ShapeA, SecretSealed: []byte("sealed"),
	}
	p.InTx(t, func(tx *db.Tx) error { return tx.InsertWebhookEndpoint(t.Context(), p.Env, e) })
	return contract.Ref{EnvironmentID: p.Env, ID: e.ID}
}

// change saves an endpoint.
func (p *post) change(t *testing.T, ref contract.Ref, do func(e *db.WebhookEndpoint)) {
	t.Helper()
	p.InTx(t, func(tx *db.Tx) error {
		e, err := tx.LockWebhookEndpoint(t.Context(), p.Env, ref.ID)
		require.NoError(t, err)
		do(&e)
		return tx.SaveWebhookEndpoint(t.Context(), p.Env, e)
	})
}

// emit announces plans: events without a subscription.
func (p *post) emit(t *testing.T, n int) {
	t.Helper()
	p.InTx(t, func(tx *db.Tx) error {
		for range n {
			plan := event.PlanCreated{ID: id.New(id.Plan, p.Clock.Now())}
			if err := tx.Emit(t.Context(), p.Env, event.New(plan, p.Clock.Now())); err != nil {
				return err
			}
		}
		return nil
	})
}

// due runs the activity once.
func (p *post) due(t *testing.T, ref contract.Ref, slow bool) contract.DeliverOutput {
	t.Helper()
	out, err := p.deliveries.DeliverDue(t.Context(), contract.DeliverInput{Ref: ref, Slow: slow})
	require.NoError(t, err)
	return out
}

// log returns what an endpoint was owed, oldest first, and the attempts of each.
func (p *post) log(t *testing.T, ref contract.Ref) (all []db.WebhookDelivery, attempts map[string][]db.WebhookAttempt) {
	t.Helper()
	attempts = map[string][]db.WebhookAttempt{}
	for page := (db.Page{Limit: 100, Unsettled: true}); ; {
		found, more, err := p.Store.WebhookDeliveries(t.Context(), p.Env, db.WebhookDeliveryFilter{EndpointID: ref.ID}, page)
		require.NoError(t, err)
		for _, d := range found {
			all = append([]db.WebhookDelivery{d}, all...)
			made, err := p.Store.WebhookAttempts(t.Context(), p.Env, []string{d.ID})
			require.NoError(t, err)
			attempts[d.ID] = made
		}
		if !more {
			return all, attempts
		}
		page.StartingAfter = found[len(found)-1].ID
	}
}

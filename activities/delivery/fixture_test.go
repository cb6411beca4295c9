package delivery_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/delivery"
	rules "perennial/billing/delivery"
	"perennial/contract"
	"perennial/db"
	"perennial/test/scene"
)

// post is a scene with webhook endpoints.
type post struct {
	*scene.Scene
	deliveries *delivery.Deliveries
	disabled   []string
	mu         sync.Mutex
}

func (p *post) AttemptEnded(context.Context, string, string, time.Duration, time.Duration) {}

func (p *post) EndpointDisabled(_ context.Context, _, endpointID string, reason rules.DisabledReason, _ time.Time,
) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.disabled = append(p.disabled, endpointID+" "+string(reason))
}

func newPost(t *testing.T, sender delivery.Sender) *post {
	t.Helper()
	p := &post{Scene: scene.New(t)}
	p.deliveries = p.Deliveries(t, sender)
	p.deliveries.Observer, p.deliveries.SlowAfter = p, 200*time.Millisecond
	return p
}

// change saves an endpoint.
func (p *post) change(t *testing.T, ref contract.Ref, do func(e *db.WebhookEndpoint)) {
	t.Helper()
	p.InTx(t, func(tx *db.Tx) error {
		e, err := tx.Webhooks.LockEndpoint(t.Context(), p.Env, ref.ID)
		require.NoError(t, err)
		do(&e)
		return tx.Webhooks.SaveEndpoint(t.Context(), p.Env, e, db.EndpointChange{Action: db.EndpointUpdated})
	})
}

// due runs the activity once.
func (p *post) due(t *testing.T, ref contract.Ref, slow bool) contract.DeliverOutput {
	t.Helper()
	out, err := p.deliveries.DeliverDue(t.Context(), contract.DeliverInput{Ref: ref, Slow: slow})
	require.NoError(t, err)
	return out
}

// log returns the deliveries of an endpoint, oldest first, and the attempts of each.
func (p *post) log(t *testing.T, ref contract.Ref) (all []db.WebhookDelivery, attempts map[string][]db.LoggedAttempt) {
	t.Helper()
	attempts = map[string][]db.LoggedAttempt{}
	for page := (db.Page{Limit: 100, Unsettled: true}); ; {
		found, more, err := p.Store.Webhooks.Deliveries(t.Context(), p.Env, db.WebhookDeliveryFilter{EndpointID: ref.ID},
			page)
		require.NoError(t, err)
		for _, d := range found {
			all = append([]db.WebhookDelivery{d}, all...)
			made, err := p.Store.Webhooks.Log(t.Context(), p.Env, []string{d.ID}, db.Log{Attempts: 1_000, ExcerptBytes: 1 << 16})
			require.NoError(t, err)
			attempts[d.ID] = made[d.ID]
		}
		if !more {
			return all, attempts
		}
		page.StartingAfter = found[len(found)-1].ID
	}
}

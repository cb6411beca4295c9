package delivery_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/delivery"
	"perennial/db"
	"perennial/internal/testkit/receiver"
	"perennial/webhooks"
)

// A 410 ends deliveries at once, whatever retries are left. Another endpoint receives the event with the reason. Failed
// deliveries are kept, and are delivered once the endpoint is enabled again.
func TestDeliverDue_GoneDisablesAtOnce(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	p := newPost(t, nil)
	gone := p.Endpoint(t, r.Endpoint("/gone", receiver.Status(410)), "plan.*")
	other := p.Endpoint(t, r.Endpoint("/other"), "webhook_endpoint.*")
	p.Announce(t, 3)

	p.due(t, gone, false)

	require.Equal(t, []string{gone.ID + " gone"}, p.disabled)
	require.Len(t, r.Requests("/gone"), 1, "nothing is sent behind the 410")
	e, err := p.Store.Webhooks.Endpoint(t.Context(), p.Env, gone.ID)
	require.NoError(t, err)
	require.Equal(t, []any{delivery.EndpointDisabled, delivery.DisabledGone}, []any{e.Status, e.DisabledReason})
	require.Equal(t, p.Clock.Now(), e.FailingSince)
	changes, err := p.Store.Webhooks.EndpointChanges(t.Context(), p.Env, gone.ID)
	require.NoError(t, err)
	last := changes[len(changes)-1]
	require.Equal(t, []any{db.EndpointDisabled, delivery.DisabledGone}, []any{last.Action, last.Reason})

	require.Equal(t, 1, p.due(t, other, false).Succeeded)
	require.Contains(t, string(r.Requests("/other")[0].Body), `"reason":"gone"`)

	require.True(t, p.due(t, gone, false).Gone)
	kept, _ := p.log(t, gone)
	require.Len(t, kept, 3)
	p.change(t, gone, func(e *db.WebhookEndpoint) { e.Enable() })
	r.Endpoint("/gone")
	p.InTx(t, func(tx *db.Tx) error {
		for _, d := range kept {
			require.Equal(t, delivery.FailedEndpointDisabled, d.FailedReason)
			tx.Redeliver(p.Env, db.Owed{EventID: d.EventID, EndpointID: d.EndpointID})
		}
		return nil
	})
	require.Equal(t, 3, p.due(t, gone, false).Succeeded)
}

// goneDuring calls back and then answers 410 to the first request.
type goneDuring struct {
	meddling
	result webhooks.Result
}

func (g *goneDuring) Send(ctx context.Context, r webhooks.Request) webhooks.Result {
	if g.meddling.Send(ctx, r); len(g.urls) > 1 {
		return webhooks.Result{Status: 200}
	}
	return g.result
}

// An attempt is under way to the old URL while the endpoint is given another one. Its answer says nothing about that.
func TestDeliverDue_ChangedEndpointIsNotDisabledForItsOldURL(t *testing.T) {
	t.Parallel()
	g := &goneDuring{result: webhooks.Result{Status: 410, Failure: webhooks.FailedStatus}}
	g.during = 1
	p := newPost(t, g)
	ref := p.Endpoint(t, "https://example.com/", "plan.*")
	g.do = func() {
		p.change(t, ref, func(e *db.WebhookEndpoint) { e.URL = "https://new.example.com/" })
	}
	p.Announce(t, 2)

	p.due(t, ref, false)
	require.Equal(t, 1, p.due(t, ref, false).Succeeded, "the signal of the change")

	require.Empty(t, p.disabled)
	e, err := p.Store.Webhooks.Endpoint(t.Context(), p.Env, ref.ID)
	require.NoError(t, err)
	require.Equal(t, delivery.EndpointEnabled, e.Status)
	require.Equal(t, []string{"https://example.com/", "https://new.example.com/"}, g.urls)
}

package e2e

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/check"
	"perennial/test/e2e/world"
)

// TestOneAttempt: a change with paymentBehavior error is answered by what its one attempt leads to, whatever the provider
// says and though everything stops meanwhile: the client repeats the request under its key. Where the money does not come
// nothing has changed; where nothing is known the change waits, and is withdrawn in the end.
func TestOneAttempt(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Config{Environments: len(firstPayers)})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	var all []*pendingChange
	for i, name := range []string{"stripe", "adyen", "pawapay", "flutterwave"} { // the first one hears Stripe's callbacks
		all = append(all, paidBefore(ctx, t, w, w.Environments[i], name)...)
	}
	answers := make([]world.Answer, len(all))
	var asked sync.WaitGroup
	for i, p := range all {
		p.method(ctx, t)
		asked.Go(func() { answers[i] = p.once(ctx, t) })
	}
	pause(ctx, time.Second)
	w.Service.Kill(t)
	w.Service.Start(t)
	asked.Wait()

	var silentOnes, unpaid []string
	for i, p := range all {
		if p.answered(ctx, t, answers[i]) {
			silentOnes = append(silentOnes, p.sub)
		}
		if p.answer != pays {
			unpaid = append(unpaid, p.sub)
		}
	}
	redate(ctx, t, w, silentOnes, `pending_change = jsonb_set(pending_change, '{until}', to_jsonb($2::timestamptz)),
		next_action = 'pending_change_end', next_action_at = $2`, time.Now().Add(-time.Second))
	for _, p := range all {
		p.awaitEnd(ctx, t)
		if p.provider == "pawapay" && p.answer == silent {
			p.settleLate(t, w)
		}
	}
	check.AtRest(t, w, settled)
	check.Sound(t, w)
	p := all[0]
	require.Equal(t, 5000*len(unpaid), p.kept(ctx, t, w, unpaid), "the period is kept, and nothing else")
}

// method replaces the payer's method by one that answers as it should.
func (p *pendingChange) method(ctx context.Context, t *testing.T) {
	t.Helper()
	in := payerBy(p.token)
	_, err := p.env.Change(ctx, http.MethodPatch, "/api/customers/"+p.customer,
		world.Object{"paymentMethod": in["paymentMethod"], "paymentDetails": in["paymentDetails"]})
	require.NoError(t, err)
}

// once changes the plan with one attempt. A client that is told that nothing is known yet repeats the request under its
// key, which makes no other attempt: a worker that begins anew may take longer than a request waits.
func (p *pendingChange) once(ctx context.Context, t *testing.T) world.Answer {
	for key := world.Key(); ; pause(ctx, time.Second) {
		a, err := p.env.ChangeUnder(ctx, key, http.MethodPatch, "/api/subscriptions/"+p.sub,
			world.Object{"planId": p.to, "paymentBehavior": "error"})
		var refused *world.Refused
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("%s at %s: %v", p.answer, p.provider, err)
		}
		if a.Status != http.StatusAccepted || p.answer == silent || ctx.Err() != nil {
			return a
		}
	}
}

// answered checks the answer to the request, and reports whether the change waits.
func (p *pendingChange) answered(ctx context.Context, t *testing.T, a world.Answer) (waits bool) {
	t.Helper()
	s := p.shown(ctx, t)
	switch p.answer {
	case pays:
		require.Equal(t, http.StatusOK, a.Status, "%s at %s: %s", p.answer, p.provider, a)
		require.Equal(t, p.to, s.PlanID)
	case declines:
		require.Equal(t, []any{http.StatusPaymentRequired, "payment_declined"}, []any{a.Status, a.Code()}, "at %s: %s", p.provider, a)
	case asks: // the kill may have cut the question off, which fails the attempt
		require.Equal(t, http.StatusPaymentRequired, a.Status, "at %s: %s", p.provider, a)
		require.Contains(t, []string{"payment_requires_action", "payment_declined"}, a.Code())
	default:
		require.Equal(t, http.StatusAccepted, a.Status, "%s at %s: %s", p.answer, p.provider, a)
		require.NotNil(t, s.PendingChange)
		require.Equal(t, p.from, s.PlanID)
		return true
	}
	if p.answer != pays {
		require.Equal(t, []any{p.from, "active", "void"}, []any{s.PlanID, s.Status, s.LatestInvoice.Status})
	}
	require.Nil(t, s.PendingChange)
	return false
}

// settleLate lets the money of a silent change come after its end.
func (p *pendingChange) settleLate(t *testing.T, w *world.World) {
	t.Helper()
	for _, m := range captures(t, w, `select provider_ref, amount from transactions
		where subscription_id = $1 and type = 'charge' and amount <> 5000`, p.sub) {
		w.Simulator.Of("pawapay").Settle(t, m.ref, "succeeded")
	}
}

// kept returns what was taken of subscriptions and not given back.
func (p *pendingChange) kept(ctx context.Context, t *testing.T, w *world.World, subs []string) (sum int) {
	t.Helper()
	require.NoError(t, w.Pool.QueryRow(ctx, `select coalesce(sum(amount - amount_refunded), 0) from transactions
		where type = 'charge' and status in ('success', 'refunded') and subscription_id = any($1)`, subs).Scan(&sum))
	return sum
}

package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/check"
	"perennial/test/e2e/world"
)

// TestPendingChange: a change with paymentBehavior pending is made once its invoice is paid, whatever its provider answers
// and though everything stops meanwhile. Until then the plan before it stays, with its access. The others are withdrawn
// when their time is over, with their invoices, and what is paid for those later goes back.
func TestPendingChange(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Config{Environments: len(firstPayers)})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	var all []*pendingChange
	for i, name := range []string{"stripe", "adyen", "pawapay", "flutterwave"} { // the first one hears Stripe's callbacks
		all = append(all, paidBefore(ctx, t, w, w.Environments[i], name)...)
	}
	for _, p := range all {
		p.request(ctx, t)
	}
	w.Service.Kill(t)
	w.Service.Start(t)
	var unpaid []string
	for _, p := range all {
		p.await(ctx, t)
		if p.answer != pays {
			unpaid = append(unpaid, p.sub)
		}
	}
	redate(ctx, t, w, unpaid, `pending_change = jsonb_set(pending_change, '{until}', to_jsonb($2::timestamptz)),
		next_action = 'pending_change_end', next_action_at = $2`, time.Now().Add(-time.Second))
	for _, p := range all {
		p.awaitEnd(ctx, t)
		if p.provider == "pawapay" && p.answer == silent {
			for _, m := range captures(t, w, `select provider_ref, amount from transactions
				where subscription_id = $1 and type = 'charge' and amount <> 5000`, p.sub) {
				w.Simulator.Of("pawapay").Settle(t, m.ref, "succeeded")
			}
		}
	}
	check.AtRest(t, w, settled)
	check.Sound(t, w)
	var kept int
	require.NoError(t, w.Pool.QueryRow(ctx, `select coalesce(sum(amount - amount_refunded), 0) from transactions
		where type = 'charge' and status in ('success', 'refunded') and subscription_id = any($1)`, unpaid).Scan(&kept))
	require.Equal(t, 5000*len(unpaid), kept, "the period is kept, and nothing that was paid too late")
}

// pendingChange is a subscription with a change that waits for its payment.
type pendingChange struct {
	env      *world.Environment
	provider string
	answer   answered
	customer string
	sub      string
	from, to string // plans
	token    string // pays, or does not
}

// paidBefore returns subscriptions that are paid, and whose payer then answers otherwise.
func paidBefore(
	ctx context.Context, t *testing.T, w *world.World, env *world.Environment, name string,
) (all []*pendingChange) {
	t.Helper()
	paying := map[answered]string{}
	for answer := range firstPayers[name] {
		paying[answer] = firstPayers[name][pays]
	}
	for _, first := range begun(ctx, t, w, env, name, paying) {
		answer := first.answer
		first.answer = pays
		first.await(ctx, t)
		p := &pendingChange{env: env, provider: name, answer: answer, sub: first.sub, token: firstPayers[name][answer]}
		all = append(all, p)
		var sub struct {
			CustomerID string `json:"customerId"`
			PlanID     string `json:"planId"`
			Currency   string `json:"currency"`
		}
		require.NoError(t, env.Get(ctx, "/api/subscriptions/"+p.sub, &sub))
		p.customer, p.from = sub.CustomerID, sub.PlanID
		var err error
		p.to, err = env.Create(ctx, "/api/plans",
			world.Object{"name": "Larger", "currency": sub.Currency, "interval": "month", "amount": 9000})
		require.NoError(t, err)
	}
	return all
}

// request changes the plan, with a payment method that answers as it should.
func (p *pendingChange) request(ctx context.Context, t *testing.T) {
	t.Helper()
	in := payerBy(p.token)
	_, err := p.env.Change(ctx, http.MethodPatch, "/api/customers/"+p.customer,
		world.Object{"paymentMethod": in["paymentMethod"], "paymentDetails": in["paymentDetails"]})
	require.NoError(t, err)
	_, err = p.env.Change(ctx, http.MethodPatch, "/api/subscriptions/"+p.sub,
		world.Object{"planId": p.to, "paymentBehavior": "pending"})
	require.NoError(t, err)
}

// pendedState is what the API shows of one.
type pendedState struct {
	PlanID        string `json:"planId"`
	Status        string `json:"status"`
	PendingChange *struct {
		InvoiceID string `json:"invoiceId"`
		ExpiresAt int64  `json:"expiresAt"`
	} `json:"pendingChange"`
	LatestInvoice struct {
		ID      string `json:"id"`
		Status  string `json:"status"`
		Payment struct {
			Status         string `json:"status"`
			RequiresAction bool   `json:"requiresAction"`
		} `json:"payment"`
	} `json:"latestInvoice"`
}

func (p *pendingChange) shown(ctx context.Context, t *testing.T) (s pendedState) {
	t.Helper()
	require.NoError(t, p.env.Get(ctx, "/api/subscriptions/"+p.sub+"?expand=latestInvoice", &s))
	return s
}

// await waits for what the answer leads to.
func (p *pendingChange) await(ctx context.Context, t *testing.T) {
	t.Helper()
	s := p.shown(ctx, t)
	reached := func() bool {
		payment := s.LatestInvoice.Payment
		switch p.answer {
		case pays:
			return s.PlanID == p.to
		case declines:
			return payment.Status == "declined" || payment.Status == "failed"
		case asks: // the kill may have cut the question off, which fails the attempt
			return payment.RequiresAction || payment.Status == "failed"
		default:
			return payment.Status == "pending"
		}
	}
	for !reached() {
		require.NoError(t, ctx.Err(), "%s at %s: %+v", p.answer, p.provider, s)
		pause(ctx, 100*time.Millisecond)
		s = p.shown(ctx, t)
	}
	var access struct {
		Allowed bool   `json:"allowed"`
		Reason  string `json:"reason"`
		PlanID  string `json:"planId"`
	}
	require.NoError(t, p.env.Get(ctx, "/api/customers/"+p.customer+"/access", &access))
	require.Equal(t, []any{true, "paid"}, []any{access.Allowed, access.Reason}, "%s at %s", p.answer, p.provider)
	if p.answer == pays {
		require.Equal(t, p.to, access.PlanID)
		require.Nil(t, s.PendingChange)
		return
	}
	require.Equal(t, []string{p.from, p.from}, []string{s.PlanID, access.PlanID}, "%s at %s", p.answer, p.provider)
	require.NotNil(t, s.PendingChange)
	require.Equal(t, s.LatestInvoice.ID, s.PendingChange.InvoiceID)
}

// awaitEnd waits until a change is withdrawn with its invoice; one that is paid is not.
func (p *pendingChange) awaitEnd(ctx context.Context, t *testing.T) {
	t.Helper()
	want := []string{"active", p.from, "void"}
	if p.answer == pays {
		want = []string{"active", p.to, "paid"}
	}
	for {
		s := p.shown(ctx, t)
		is := []string{s.Status, s.PlanID, s.LatestInvoice.Status}
		if s.PendingChange == nil && is[0] == want[0] && is[1] == want[1] && is[2] == want[2] {
			return
		}
		require.NoError(t, ctx.Err(), "%s at %s: %+v", p.answer, p.provider, s)
		pause(ctx, 100*time.Millisecond)
	}
}

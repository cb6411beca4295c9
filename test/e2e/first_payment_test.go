package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// answered is what a provider says about a first payment.
type answered string

const (
	pays     answered = "success"
	declines answered = "decline"
	asks     answered = "the payer must confirm" // and never does
	silent   answered = "silence"                // and the money comes when the time to pay is over
)

// firstPayers are the methods of payers at the four providers, by what those answer; a mobile-money wallet that pays has
// confirmed a prompt.
var firstPayers = map[string]map[answered]string{
	"stripe": {
		pays: "pm_card_visa", declines: "pm_card_visa_chargeDeclinedInsufficientFunds",
		asks: "pm_card_authenticationRequired", silent: "pm_sim_pending_90s_succeed",
	},
	"adyen":       {pays: "SIM_OK", declines: "SIM_REFUSE_2", asks: "SIM_AUTHENTICATE", silent: "SIM_PENDING_90S_SUCCEED"},
	"pawapay":     {pays: load.Wallet + "789", declines: load.Wallet + "049", silent: load.Wallet + "129"},
	"flutterwave": {pays: "pmd_card_visa", declines: "pmd_card_insufficient_funds", silent: "pmd_sim_pending_90s_succeed"},
}

// TestFirstPayment: a subscription that was created with paymentBehavior pending gives access once its first invoice is
// paid, whatever its provider answers and though everything stops meanwhile. The others end when their time is over: with
// their invoices, and what is paid for those later goes back.
func TestFirstPayment(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Config{Environments: len(firstPayers)})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	var all []*firstPayment
	var unpaid []string
	for i, name := range []string{"stripe", "adyen", "pawapay", "flutterwave"} { // the first one hears Stripe's callbacks
		all = append(all, begun(ctx, t, w, w.Environments[i], name, firstPayers[name])...)
	}
	w.Service.Kill(t)
	w.Service.Start(t)
	for _, p := range all {
		p.await(ctx, t)
		if p.answer != pays {
			unpaid = append(unpaid, p.sub)
		}
	}
	redate(ctx, t, w, unpaid, "incomplete_until = $2, next_action = 'incomplete_end', next_action_at = $2",
		time.Now().Add(-time.Second))
	for _, p := range all {
		p.awaitEnd(ctx, t)
		if p.provider == "pawapay" && p.answer == silent {
			for _, m := range captures(t, w, "select provider_ref, amount from transactions where subscription_id = '"+p.sub+"' and type = 'charge'") {
				w.Simulator.Of("pawapay").Settle(t, m.ref, "succeeded")
			}
		}
	}
	check.AtRest(t, w, settled)
	check.Sound(t, w)
	var kept int
	require.NoError(t, w.Pool.QueryRow(ctx, `select coalesce(sum(amount - amount_refunded), 0) from transactions
		where type = 'charge' and status in ('success', 'refunded') and subscription_id = any($1)`, unpaid).Scan(&kept))
	require.Zero(t, kept, "nothing is kept of what was paid too late")
}

// firstPayment is a subscription that waits for its first payment.
type firstPayment struct {
	env      *world.Environment
	provider string
	answer   answered
	sub      string
}

// begun subscribes a payer for each answer of a provider.
func begun(
	ctx context.Context, t *testing.T, w *world.World, env *world.Environment, name string, methods map[answered]string,
) (all []*firstPayment) {
	t.Helper()
	if name != "stripe" {
		ids := (&wallets{Environment: env, t: t, ctx: ctx}).accounts(name)
		hear(t, w, map[string]string{name: ids[0]})
	}
	currency := map[string]string{"pawapay": "GHS", "flutterwave": "NGN"}[name]
	if currency == "" {
		currency = "EUR"
	}
	plan, err := env.Create(ctx, "/api/plans",
		world.Object{"name": "Plan", "currency": currency, "interval": "month", "amount": 5000})
	require.NoError(t, err)
	for answer, token := range methods {
		customer, err := env.Create(ctx, "/api/customers", payerBy(token))
		require.NoError(t, err)
		sub, err := env.Create(ctx, "/api/subscriptions",
			world.Object{"customerId": customer, "planId": plan, "paymentBehavior": "pending"})
		require.NoError(t, err)
		all = append(all, &firstPayment{env, name, answer, sub})
	}
	return all
}

// payerBy is a customer with a method of a simulated provider.
func payerBy(token string) world.Object {
	in := new(load.Actor).Method(token)
	in["email"], in["name"] = load.Canary+"@example.com", load.Canary
	return in
}

// firstState is what the API shows of one.
type firstState struct {
	CustomerID      string `json:"customerId"`
	Status          string `json:"status"`
	CancelReason    string `json:"cancelReason"`
	IncompleteUntil int64  `json:"incompleteUntil"`
	LatestInvoice   struct {
		Status  string `json:"status"`
		Payment struct {
			Status         string `json:"status"`
			RequiresAction bool   `json:"requiresAction"`
		} `json:"payment"`
	} `json:"latestInvoice"`
}

// await waits for what the answer leads to.
func (p *firstPayment) await(ctx context.Context, t *testing.T) {
	t.Helper()
	var s firstState
	reached := func() bool {
		latest := s.LatestInvoice
		switch p.answer {
		case pays:
			return s.Status == "active"
		case declines:
			return latest.Payment.Status == "declined" || latest.Payment.Status == "failed"
		case asks: // the kill may have cut the question off, which fails the attempt
			return latest.Payment.RequiresAction || latest.Payment.Status == "failed"
		default:
			return latest.Payment.Status == "pending"
		}
	}
	for {
		s = firstState{}
		require.NoError(t, p.env.Get(ctx, "/api/subscriptions/"+p.sub+"?expand=latestInvoice", &s))
		if reached() {
			break
		}
		require.NoError(t, ctx.Err(), "%s at %s: %+v", p.answer, p.provider, s)
		pause(ctx, 100*time.Millisecond)
	}
	var access struct {
		Allowed bool   `json:"allowed"`
		Reason  string `json:"reason"`
	}
	require.NoError(t, p.env.Get(ctx, "/api/customers/"+s.CustomerID+"/access", &access))
	if p.answer == pays {
		require.True(t, access.Allowed)
		require.Zero(t, s.IncompleteUntil)
		return
	}
	require.Equal(t, "incomplete", s.Status, "%s at %s", p.answer, p.provider)
	require.NotZero(t, s.IncompleteUntil)
	require.False(t, access.Allowed)
	require.Equal(t, "first_payment_pending", access.Reason)
}

// awaitEnd waits until a subscription has ended with its invoice; one that is paid does not.
func (p *firstPayment) awaitEnd(ctx context.Context, t *testing.T) {
	t.Helper()
	want := [3]string{"canceled", "first_payment_expired", "void"}
	if p.answer == pays {
		want = [3]string{"active", "", "paid"}
	}
	for {
		var s firstState
		require.NoError(t, p.env.Get(ctx, "/api/subscriptions/"+p.sub+"?expand=latestInvoice", &s))
		if want == [3]string{s.Status, s.CancelReason, s.LatestInvoice.Status} {
			return
		}
		require.NoError(t, ctx.Err(), "%s at %s: %+v", p.answer, p.provider, s)
		pause(ctx, 100*time.Millisecond)
	}
}

package e2e

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// answered is what a provider says about a payment.
type answered string

const (
	pays     answered = "success"
	declines answered = "decline"
	asks     answered = "the payer must confirm" // and never does
	silent   answered = "silence"                // and the money comes when the time to pay is over
)

// tokens are the methods of payers at the four providers, by what those answer; a mobile-money wallet that pays has
// confirmed a prompt.
var tokens = map[string]map[answered]string{
	"stripe": {
		pays: "pm_card_visa", declines: "pm_card_visa_chargeDeclinedInsufficientFunds",
		asks: "pm_card_authenticationRequired", silent: "pm_sim_pending_90s_succeed",
	},
	"adyen":       {pays: "SIM_OK", declines: "SIM_REFUSE_2", asks: "SIM_AUTHENTICATE", silent: "SIM_PENDING_90S_SUCCEED"},
	"pawapay":     {pays: load.Wallet + "789", declines: load.Wallet + "049", silent: load.Wallet + "129"},
	"flutterwave": {pays: "pmd_card_visa", declines: "pmd_card_insufficient_funds", silent: "pmd_sim_pending_90s_succeed"},
}

// TestPaymentBehaviors: creations and changes with paymentBehavior pending and error, whatever their provider answers and
// though everything stops meanwhile.
//
// With pending, a subscription gives access once its first invoice is paid, and a change is made once its invoice is paid;
// until then the plan before it stays, with its access. With error the request is answered by what its one attempt leads
// to; its client repeats it under its key. What is not paid ends when its time is over, with its invoice, and what is paid
// for it later goes back. One scenario has them all, since each waits for the same slow answers.
func TestPaymentBehaviors(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Config{Environments: len(tokens)})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*settled) // four providers, each with its slow answers
	defer cancel()
	var shops []shop
	for i, name := range []string{"stripe", "adyen", "pawapay", "flutterwave"} { // the first one hears Stripe's callbacks
		shops = append(shops, open(ctx, t, w, w.Environments[i], name))
	}
	var created []*firstPayment
	var changed, changedOnce []*pendingChange
	for _, s := range shops {
		changed = append(changed, s.subscribed(ctx, t)...)
		changedOnce = append(changedOnce, s.subscribed(ctx, t)...)
	}
	for _, s := range shops {
		created = append(created, s.creations(ctx, t)...)
	}
	for _, p := range changed {
		p.prepare(ctx, t)
	}
	for _, p := range changedOnce {
		p.prepare(ctx, t)
	}
	t.Log("all are subscribed")
	createdOnce := once(ctx, t, shops)
	var asked sync.WaitGroup
	for _, p := range createdOnce {
		asked.Go(func() { p.create(ctx, t) })
	}
	for _, p := range changedOnce {
		asked.Go(func() { p.once(ctx, t) })
	}
	for _, p := range changed {
		p.request(ctx, t)
	}
	w.Service.Kill(t)
	w.Service.Start(t)
	asked.Wait()

	t.Log("all are asked")
	ends := expected(ctx, t, created, createdOnce, changed, changedOnce)
	t.Log("all have their answers")
	past := time.Now().Add(-time.Second)
	redate(ctx, t, w, ends.creations, "incomplete_until = $2, next_action = 'incomplete_end', next_action_at = $2", past)
	redate(ctx, t, w, ends.changes, `pending_change = jsonb_set(pending_change, '{until}', to_jsonb($2::timestamptz)),
		next_action = 'pending_change_end', next_action_at = $2`, past)
	for _, p := range created {
		p.awaitEnd(ctx, t)
	}
	for _, p := range changed {
		p.awaitEnd(ctx, t)
	}
	for _, p := range changedOnce {
		p.awaitEnd(ctx, t)
	}
	t.Log("all have ended")
	settleLate(t, w)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
	require.Zero(t, kept(ctx, t, w, ends.neverPaid), "nothing is kept of what was paid too late")
	require.Equal(t, 5000*len(ends.unchanged), kept(ctx, t, w, ends.unchanged), "the period is kept, and nothing else")
}

// ending are what waits until its time is over, and whose money is kept, or not.
type ending struct {
	creations, changes   []string // subscriptions
	neverPaid, unchanged []string // customers
}

// expected waits for what the answers lead to.
func expected(
	ctx context.Context, t *testing.T, created []*firstPayment, createdOnce []*onceCreated, changed, changedOnce []*pendingChange,
) (e ending) {
	t.Helper()
	for _, p := range created {
		p.await(ctx, t)
		if p.answer != pays {
			e.creations, e.neverPaid = append(e.creations, p.sub), append(e.neverPaid, p.customer)
		}
	}
	for _, p := range createdOnce {
		if p.answered(ctx, t) {
			e.creations = append(e.creations, p.said.ID())
		}
		if p.answer != pays {
			e.neverPaid = append(e.neverPaid, p.customer)
		}
	}
	for _, p := range changed {
		p.await(ctx, t)
		if p.answer != pays {
			e.changes, e.unchanged = append(e.changes, p.sub), append(e.unchanged, p.customer)
		}
	}
	for _, p := range changedOnce {
		if p.answered(ctx, t) {
			e.changes = append(e.changes, p.sub)
		}
		if p.answer != pays {
			e.unchanged = append(e.unchanged, p.customer)
		}
	}
	return e
}

// settleLate lets the money of silent wallets come after the end of what it was for.
func settleLate(t *testing.T, w *world.World) {
	t.Helper()
	for _, m := range captures(t, w, `select provider_ref, amount from transactions
		where type = 'charge' and status = 'pending' and provider = 'pawapay'`) {
		w.Simulator.Of("pawapay").Settle(t, m.ref, "succeeded")
	}
}

// kept returns what was taken of customers and not given back.
func kept(ctx context.Context, t *testing.T, w *world.World, customers []string) (sum int) {
	t.Helper()
	require.NoError(t, w.Pool.QueryRow(ctx, `select coalesce(sum(amount - amount_refunded), 0) from transactions
		where type = 'charge' and status in ('success', 'refunded') and customer_id = any($1)`, customers).Scan(&sum))
	return sum
}

// shop is an environment that sells a plan through one provider.
type shop struct {
	env      *world.Environment
	provider string
	currency string
	plan     string
}

func open(ctx context.Context, t *testing.T, w *world.World, env *world.Environment, provider string) shop {
	t.Helper()
	if provider != "stripe" {
		ids := (&wallets{Environment: env, t: t, ctx: ctx}).accounts(provider)
		hear(t, w, map[string]string{provider: ids[0]})
	}
	s := shop{env: env, provider: provider, currency: map[string]string{"pawapay": "GHS", "flutterwave": "NGN"}[provider]}
	if s.currency == "" {
		s.currency = "EUR"
	}
	s.plan = s.sells(ctx, t, 5000)
	return s
}

// sells creates a plan.
func (s shop) sells(ctx context.Context, t *testing.T, amount int) string {
	t.Helper()
	plan, err := s.env.Create(ctx, "/api/plans",
		world.Object{"name": "Plan", "currency": s.currency, "interval": "month", "amount": amount})
	require.NoError(t, err)
	return plan
}

// payer creates a customer with a method of a simulated provider.
func (s shop) payer(ctx context.Context, t *testing.T, token string) string {
	t.Helper()
	id, err := s.env.Create(ctx, "/api/customers", payerBy(token))
	require.NoError(t, err)
	return id
}

// payerBy is a customer with a method of a simulated provider.
func payerBy(token string) world.Object {
	in := new(load.Actor).Method(token)
	in["email"], in["name"] = load.Canary+"@example.com", load.Canary
	return in
}

// untilSaid repeats a request with paymentBehavior error under its key. A client that is told that nothing is known yet does
// so, which makes no other attempt: a worker that begins anew may take longer than a request waits.
func untilSaid(
	ctx context.Context, t *testing.T, env *world.Environment, answer answered, method, path string, in world.Object,
) world.Answer {
	for key := world.Key(); ; pause(ctx, time.Second) {
		a, err := env.ChangeUnder(ctx, key, method, path, in)
		if err != nil && a.Status == 0 {
			t.Errorf("%s: %v", answer, err)
		}
		if a.Status != http.StatusAccepted || answer == silent || ctx.Err() != nil {
			return a
		}
	}
}

// requireSaid checks the answer of a request with paymentBehavior error.
func requireSaid(t *testing.T, answer answered, provider string, done int, a world.Answer) {
	t.Helper()
	switch answer {
	case pays:
		require.Equal(t, done, a.Status, "at %s: %s", provider, a)
	case declines:
		require.Equal(t, []any{http.StatusPaymentRequired, "payment_declined"}, []any{a.Status, a.Code()}, "at %s: %s", provider, a)
	case asks: // the kill may have cut the question off, which fails the attempt
		require.Equal(t, http.StatusPaymentRequired, a.Status, "at %s: %s", provider, a)
		require.Contains(t, []string{"payment_requires_action", "payment_declined"}, a.Code())
	default:
		require.Equal(t, http.StatusAccepted, a.Status, "at %s: %s", provider, a)
	}
}

package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/internal/testkit/rule"
	"perennial/test/e2e/world"
)

// TestFailover: a payment that the primary surely did not take is on the backup within seconds; one that it may have
// taken never goes there, and is settled where it was sent. Each payment's money moves once, by the providers' own
// books.
func TestFailover(t *testing.T) {
	t.Parallel()
	n := testkit.Scale(3, 200)
	w := world.New(t, world.Config{ // all of them hang at one time
		Environments: 4, Env: []string{"WORKER_ACTIVITY_SLOTS=400", "WORKER_ACCOUNT_SLOTS=250"},
	})
	w.Service.Start(t)
	primary, checked := w.Simulator.Of("pawapay"), map[string]bool{}
	for i, c := range []struct {
		name   string
		phone  string // its last digits choose what pawaPay does
		outage string // of pawaPay
		over   bool
	}{
		{"no connection", "789", "refuse", true},
		{"documented rejection", "911", "", true},
		{"bare 503", "789", "503", false},
		{"no answer", "789", "hang", false},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), settled)
		env := &wallets{Environment: w.Environments[i], t: t, ctx: ctx, checked: checked}
		env.accounts("pawapay", "flutterwave")
		payers := env.payers(n, c.phone)
		if c.outage != "" {
			primary.Outage(t, c.outage, settled)
		}
		env.pay(payers)
		if c.over {
			env.until(w, "success", n)
			env.requireSoon(w)
		} else {
			env.until(w, "sent", n)
		}
		if c.outage != "" {
			w.Simulator.EndOutage(t, "pawapay")
		}
		env.until(w, "success", n)
		env.requireBooked(w, n, map[bool]string{true: "flutterwave", false: "pawapay"}[c.over])
		t.Logf("%s: %d payments, settled at %s", c.name, n, map[bool]string{true: "the backup", false: "the primary"}[c.over])
		cancel()
	}
}

// wallets is an environment whose customers pay with mobile money.
type wallets struct {
	*world.Environment
	t   *testing.T
	ctx context.Context //nolint:containedctx // of one test
	// checked are the captures of environments before this one, by the provider's reference.
	checked map[string]bool
}

// accounts adds accounts at the providers; the first becomes the primary one. It returns their ids.
func (e *wallets) accounts(names ...string) []string {
	e.t.Helper()
	var ids []string
	for i, name := range names {
		form := world.Object{"provider": name, "isPrimary": i == 0, "priority": i}
		for field, value := range credentials[name] {
			form[field] = value
		}
		id, err := e.Create(e.ctx, "/api/payment-providers", form)
		require.NoError(e.t, err)
		ids = append(ids, id)
	}
	return ids
}

// credentials has the credentials of an account at each provider other than Stripe.
var credentials = map[string]world.Object{
	"adyen": {
		"apiKey": "canarykey_of_adyen", "merchantAccount": "Acme", "webhookSecret": "ca9a41ca9a41ca9a41ca9a41ca9a41ca9a41",
	},
	"pawapay": {
		"apiToken": "canarytoken", "apiUrl": "https://api.sandbox.pawapay.io", "webhookSecret": "canarysecret_of_pawapay",
	},
	"flutterwave": {
		"clientId": "canaryclient", "clientSecret": "canarysecret", "webhookSecret": "canaryhash_of_flutterwave",
	},
}

// payers creates customers whose numbers have an ending.
func (e *wallets) payers(n int, ending string) []string {
	e.t.Helper()
	out := make([]string, n)
	e.each(n, func(i int) error {
		id, err := e.Create(e.ctx, "/api/customers", world.Object{
			"paymentMethod":  "mobile_money_mtn",
			"paymentDetails": world.Object{"phoneNumber": fmt.Sprintf("+23324%04d%s", i, ending)},
		})
		out[i] = id
		return err
	})
	return out
}

func (e *wallets) pay(customers []string) {
	e.t.Helper()
	e.each(len(customers), func(i int) error {
		_, err := e.Create(
			e.ctx, "/api/payments", world.Object{"customerId": customers[i], "amount": 1000 + i, "currency": "GHS"},
		)
		return err
	})
}

// each does n things, eight at a time.
func (e *wallets) each(n int, do func(i int) error) {
	e.t.Helper()
	errs := make([]error, n)
	var group sync.WaitGroup
	turns := make(chan struct{}, 8)
	for i := range n {
		turns <- struct{}{}
		group.Go(func() {
			errs[i] = do(i)
			<-turns
		})
	}
	group.Wait()
	for _, err := range errs {
		require.NoError(e.t, err)
	}
}

// until waits for n payments to be a success, or to be sent and unanswered.
func (e *wallets) until(w *world.World, what string, n int) {
	e.t.Helper()
	query := map[string]string{
		"success": "select count(*) from transactions where environment_id = $1 and status = 'success'",
		"sent":    "select count(*) from payment_sends where environment_id = $1 and outcome = 'unknown'",
	}[what]
	for {
		var got int
		require.NoError(e.t, w.Pool.QueryRow(e.ctx, query, e.ID).Scan(&got))
		if got == n {
			return
		}
		require.NoError(e.t, e.ctx.Err(), "%d of %d payments: %s", got, n, what)
		time.Sleep(100 * time.Millisecond)
	}
}

// requireSoon: from a send that was not taken to the next one it is a matter of seconds.
func (e *wallets) requireSoon(w *world.World) {
	e.t.Helper()
	var slowest float64
	require.NoError(e.t, w.Pool.QueryRow(e.ctx, `
		select coalesce(max(extract(epoch from b.sent_at - a.sent_at)), 0)::float8
		from payment_sends a join payment_sends b using (environment_id, transaction_id)
		where environment_id = $1 and b.number = a.number + 1`, e.ID).Scan(&slowest))
	require.LessOrEqual(e.t, slowest, 5.0)
}

// requireBooked compares the books with the provider's: n captures there, each of one payment, and none elsewhere.
func (e *wallets) requireBooked(w *world.World, n int, provider string) {
	e.t.Helper()
	rows, err := w.Pool.Query(e.ctx,
		"select provider, provider_ref, amount from transactions where environment_id = $1 and status = 'success'", e.ID)
	require.NoError(e.t, err)
	booked := map[string]int64{}
	for rows.Next() {
		var at, ref string
		var amount int64
		require.NoError(e.t, rows.Scan(&at, &ref, &amount))
		require.Equal(e.t, provider, at)
		booked[ref] = amount
	}
	require.NoError(e.t, rows.Err())
	require.Len(e.t, booked, n, "every payment has a capture of its own")
	var others int
	require.NoError(e.t, w.Pool.QueryRow(e.ctx, `select count(*) from payment_sends
		where environment_id = $1 and provider <> $2 and outcome is distinct from 'not_sent'`, e.ID, provider).Scan(&others))
	require.Zero(e.t, others, "nothing is left open at another provider")
	e.once(w, booked)
}

// once: all captures in the ledger are booked payments, of this environment or of one that was checked before, and each
// is there once.
func (e *wallets) once(w *world.World, booked map[string]int64) {
	e.t.Helper()
	seen := map[string]int64{}
	for _, m := range w.Simulator.Ledger(e.t) {
		if m.Kind != "capture" || e.checked[m.Charge] {
			continue
		}
		rule.Holds(e.t, func() { require.Zero(e.t, seen[m.Charge], "captured twice") })
		seen[m.Charge] = m.Amount
	}
	rule.Holds(e.t, func() { require.Equal(e.t, booked, seen, "the ledger and the books") })
	for ref := range seen {
		e.checked[ref] = true
	}
}

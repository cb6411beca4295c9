package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/world"
)

// settledWithin is the time that a charge left undecided by an outage may take once its provider answers.
const settledWithin = 2 * time.Minute

// troubled is an environment that charges at one provider.
type troubled struct {
	*wallets
	w         *world.World
	simulator *world.Simulator
	name      string
	charges   string // the provider's address of charges
	lookups   string // and of look-ups; empty: it has none
	payer     world.Object
	amount    int
	currency  string
	customer  string
}

// troubles are the four providers.
func troubles() []*troubled {
	wallet := world.Object{
		"paymentMethod": "mobile_money_mtn", "paymentDetails": world.Object{"phoneNumber": "+233240000789"},
	}
	saved := func(provider, token string) world.Object {
		return world.Object{"email": "canary@example.com", "paymentMethod": "card", "paymentDetails": world.Object{
			"provider": provider, "customerToken": "cus_canary", "paymentMethodToken": token,
		}}
	}
	return []*troubled{
		{name: "stripe", charges: "POST /v1/payment_intents", lookups: "GET /v1/payment_intents",
			payer: saved("stripe", "pm_card_visa"), amount: 1900, currency: "EUR"},
		{name: "adyen", charges: "POST /v71/payments", payer: saved("adyen", "M5N7TQ4TG5PFWR50"),
			amount: 1900, currency: "EUR"},
		{name: "pawapay", charges: "POST /v2/deposits", lookups: "GET /v2/deposits", payer: wallet,
			amount: 5000, currency: "GHS"},
		{name: "flutterwave", charges: "POST /orchestration/direct-charges", lookups: "GET /charges",
			payer: wallet, amount: 5000,
			currency: "GHS"},
	}
}

// begin makes the accounts and the payer, and has one payment go through.
func (e *troubled) begin() {
	e.t.Helper()
	if e.name != "stripe" { // which every environment has
		e.accounts(e.name)
	}
	var err error
	e.customer, err = e.Create(e.ctx, "/api/customers", e.payer)
	require.NoError(e.t, err)
	e.owe(1)
	e.until(e.w, "success", 1)
}

func (e *troubled) owe(n int) {
	e.t.Helper()
	e.each(n, func(int) error {
		_, err := e.Create(
			e.ctx, "/api/payments", world.Object{"customerId": e.customer, "amount": e.amount, "currency": e.currency},
		)
		return err
	})
}

// away has the provider answer no charge and no look-up. The first booked charges are carried out all the same.
func (e *troubled) away(booked int) {
	e.t.Helper()
	if booked > 0 {
		e.simulator.Fault(e.t, "reset_booked", e.charges, booked)
	}
	for _, path := range []string{e.charges, e.lookups} {
		if path != "" {
			e.simulator.Fault(e.t, "reset", path, 1_000_000)
		}
	}
}

// waits waits until the last exchange about n payments was not answered and their next is more than gap away.
func (e *troubled) waits(n int, gap string) {
	e.t.Helper()
	for got := -1; got < n; pause(e.ctx, 100*time.Millisecond) {
		require.NoError(e.t, e.ctx.Err(), "%s: %d of %d payments wait", e.name, got, n)
		got = e.count(`status = 'pending' and unanswered_at is not null and next_check_at > now() + $2::text::interval`, gap)
	}
}

func (e *troubled) count(where string, args ...any) (n int) {
	e.t.Helper()
	require.NoError(e.t, e.w.Pool.QueryRow(e.ctx,
		"select count(*) from transactions where environment_id = $1 and "+where, append([]any{e.ID}, args...)...).Scan(&n))
	return n
}

// later makes minutes pass for waiting payments, with that many look-ups without an answer. wholly: the account was
// silent all that time.
func (e *troubled) later(minutes, checks int, wholly bool) {
	e.t.Helper()
	_, err := e.w.Pool.Exec(e.ctx, `update transactions set checks = checks + $3, first_sent_at = first_sent_at - $2::int * interval '1 min',
		unanswered_since = unanswered_since - $2::int * interval '1 min' where environment_id = $1 and status = 'pending'`,
		e.ID, minutes, checks)
	require.NoError(e.t, err)
	if wholly {
		_, err = e.w.Pool.Exec(e.ctx, `update provider_breakers set silent_since = silent_since - $2::int * interval '1 min'
			where environment_id = $1`, e.ID, minutes)
		require.NoError(e.t, err)
	}
}

// TestOutageEnds_AtAllProviders: each of the four providers is away for a short while again and again, and then for ten
// minutes. It has carried out a part of the requests, and sends no callbacks. After both, every charge is settled
// within two minutes of the provider's return, and was captured once.
func TestOutageEnds_AtAllProviders(t *testing.T) {
	t.Parallel()
	n := testkit.Scale(3, 60) // of each outage
	all := troubles()
	w := world.New(t, world.Config{Environments: len(all)})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	made := 0
	everywhere := func(do func(e *troubled)) {
		for _, e := range all {
			do(e)
		}
	}
	for i, e := range all {
		e.wallets = &wallets{Environment: w.Environments[i], t: t, ctx: ctx, checked: map[string]bool{}}
		e.w, e.simulator = w, w.Simulator.Of(e.name)
		e.begin()
	}
	made++
	settle := func(what string) {
		began := time.Now()
		everywhere(func(e *troubled) { e.simulator.EndFaults(t) })
		everywhere(func(e *troubled) { e.until(w, "success", made) })
		took := time.Since(began)
		t.Logf("%s: %d payments at each provider, settled within %s", what, made, took.Round(100*time.Millisecond))
		require.Less(t, took, settledWithin)
	}

	for range 3 {
		everywhere(func(e *troubled) { e.away(n / 2) })
		everywhere(func(e *troubled) { e.owe(n) })
		made += n
		everywhere(func(e *troubled) { e.waits(n, "1 s") })
		everywhere(func(e *troubled) { e.later(2, 2, false); e.simulator.EndFaults(t) })
	}
	everywhere(func(e *troubled) { e.away(0) })
	settle("short outages in a row")

	everywhere(func(e *troubled) { e.away(n / 2) })
	everywhere(func(e *troubled) { e.owe(n) })
	made += n
	everywhere(func(e *troubled) { e.waits(n, "1 s") })
	everywhere(func(e *troubled) { e.later(10, 6, true) })
	everywhere(func(e *troubled) { e.waits(n, "2 min") }) // asked about in vain once more, and rarely from now on
	settle("ten minutes")

	var twice int
	require.NoError(t, w.Pool.QueryRow(ctx, "select count(*) from transactions where status <> 'success'").Scan(&twice))
	require.Zero(t, twice)
	captured := map[string]int{}
	for _, m := range w.Simulator.Ledger(t) {
		require.Equal(t, "capture", m.Kind)
		captured[m.TransactionID]++
	}
	require.Len(t, captured, made*len(all))
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

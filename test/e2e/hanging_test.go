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

// TestAcceptThenHang: the provider takes the money and never says so. Nothing is charged a second time, and every
// payment is settled within a minute after the provider answers again.
func TestAcceptThenHang(t *testing.T) {
	t.Parallel()
	n := testkit.Scale(8, 500)
	w := world.New(t, world.Config{})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	env := &wallets{Environment: w.Environments[0], t: t, ctx: ctx}
	payer, err := env.Create(ctx, "/api/customers", card("pm_card_visa"))
	require.NoError(t, err)
	w.Simulator.Fault(t, "hang_booked", "POST /v1/payment_intents", n)
	env.each(n, func(int) error {
		_, err := env.Create(ctx, "/api/payments", world.Object{"customerId": payer, "amount": 1900, "currency": "EUR"})
		return err
	})
	var hung int
	for hung < n {
		require.NoError(t, ctx.Err(), "%d of %d hang", hung, n)
		time.Sleep(100 * time.Millisecond)
		require.NoError(t, w.Pool.QueryRow(ctx, "select count(*) from provider_calls where outcome = 'unknown'").Scan(&hung))
	}
	began := time.Now()
	env.until(w, "success", n)
	took := time.Since(began)
	t.Logf("%d payments settled within %s", n, took.Round(100*time.Millisecond))
	require.Less(t, took, time.Minute)
	captures := 0
	for _, m := range w.Simulator.Ledger(t) {
		if m.Kind == "capture" {
			captures++
		}
	}
	require.Equal(t, n, captures)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

// TestOutageEnds: the provider took the money, and then answers nothing for so long that look-ups have become rare. It
// sends no callbacks. Every payment is settled within a minute after it answers again.
func TestOutageEnds(t *testing.T) {
	t.Parallel()
	n := testkit.Scale(8, 500)
	w := world.New(t, world.Config{})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	env := &wallets{Environment: w.Environments[0], t: t, ctx: ctx}
	payer, err := env.Create(ctx, "/api/customers", card("pm_card_visa"))
	require.NoError(t, err)
	w.Simulator.Fault(t, "hang_booked", "POST /v1/payment_intents", n)
	// repeats and look-ups from the start: one that is answered would end it
	w.Simulator.Fault(t, "hang", "/v1/", 1_000_000)
	env.each(n, func(int) error {
		_, err := env.Create(ctx, "/api/payments", world.Object{"customerId": payer, "amount": 1900, "currency": "EUR"})
		return err
	})
	env.until(w, "sent", n)
	w.Simulator.Outage(t, "hang", settled)
	// As after twenty minutes of it: the next look-up that is not answered is followed by one in an hour.
	_, err = w.Pool.Exec(ctx, "update provider_breakers set silent_since = silent_since - interval '20 min'")
	require.NoError(t, err)
	_, err = w.Pool.Exec(ctx, "update transactions set checks = 8 where status = 'pending'")
	require.NoError(t, err)
	for rare := 0; rare < n; {
		require.NoError(t, ctx.Err(), "%d of %d look-ups are rare", rare, n)
		time.Sleep(100 * time.Millisecond)
		require.NoError(t, w.Pool.QueryRow(ctx,
			"select count(*) from transactions where status = 'pending' and next_check_at > now() + interval '30 min'").Scan(&rare))
	}
	w.Simulator.EndOutage(t, "stripe")
	w.Simulator.EndFaults(t)
	began := time.Now()
	env.until(w, "success", n)
	took := time.Since(began)
	t.Logf("%d payments settled within %s", n, took.Round(100*time.Millisecond))
	require.Less(t, took, time.Minute)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

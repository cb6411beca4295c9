package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/test/e2e/world"
)

// TestHangingAccountLeavesTheOthers: more payments than the worker has slots hang at one provider, and the payments at
// another one succeed meanwhile.
func TestHangingAccountLeavesTheOthers(t *testing.T) {
	t.Parallel()
	n := testkit.Scale(12, 200)
	w := world.New(t, world.Config{
		Environments: 2, Env: []string{"WORKER_ACTIVITY_SLOTS=8", "WORKER_ACCOUNT_SLOTS=4"},
	})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	hanging, other := &wallets{Environment: w.Environments[0], t: t, ctx: ctx}, &wallets{
		Environment: w.Environments[1], t: t, ctx: ctx,
	}
	hanging.accounts("pawapay")
	payers := hanging.payers(n, "789")
	payer, err := other.Create(ctx, "/api/customers", card("pm_card_visa"))
	require.NoError(t, err)
	pay := func(int) error {
		_, err := other.Create(ctx, "/api/payments", world.Object{"customerId": payer, "amount": 1900, "currency": "EUR"})
		return err
	}
	require.NoError(t, pay(0))
	other.until(w, "success", 1) // the worker takes work
	w.Simulator.Of("pawapay").Outage(t, "hang", settled)
	hanging.pay(payers)
	time.Sleep(time.Second) // its slots are taken
	began := time.Now()
	other.each(n, pay)
	other.until(w, "success", n+1)
	took := time.Since(began)
	var settledThere int
	require.NoError(t, w.Pool.QueryRow(ctx,
		"select count(*) from transactions where environment_id = $1 and status = 'success'", hanging.ID).Scan(&settledThere))
	require.Zero(t, settledThere, "the provider hangs")
	t.Logf("%d payments went through beside %d that hang, in %s", n, n, took.Round(100*time.Millisecond))
	require.Less(t, took, time.Duration(30+n/4)*time.Second, "a request that hangs is given up after 45 s")
	w.Simulator.EndOutage(t, "pawapay")
	hanging.until(w, "success", n)
}

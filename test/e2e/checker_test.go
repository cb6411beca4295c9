package e2e

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/world"
)

// TestChecker_SeesDoubleCharge proves that charging twice is possible here, and seen: with a provider that forgets
// keys while we still trust it to remember them, which no configuration of a real one allows, the money is taken twice.
func TestChecker_SeesDoubleCharge(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Config{Windows: world.Windows{
		Provider: time.Second, Replay: time.Hour, AbsenceGap: time.Hour,
	}})
	w.Service.Start(t)
	w.Simulator.Fault(t, "reset", "GET /v1/payment_intents", 1_000_000) // a look-up would find the first charge
	env := w.Environments[0]
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	customer, err := env.Create(ctx, "/api/customers", card("pm_sim_hang")) // takes the money and never answers
	require.NoError(t, err)
	txn, err := env.Create(ctx, "/api/payments", world.Object{"customerId": customer, "amount": 100, "currency": "EUR"})
	require.NoError(t, err)
	for len(world.CapturedTwice(w.Simulator.Ledger(t))) == 0 {
		require.NoError(t, ctx.Err(), "the provider forgets the key and we repeat it: that must charge twice")
		pause(ctx, 100*time.Millisecond)
	}
	require.Equal(t, []string{txn}, world.CapturedTwice(w.Simulator.Ledger(t)))
}

package e2e

import (
	"context"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/internal/testkit/rule"
	"perennial/test/e2e/check"
	"perennial/test/e2e/world"
)

// TestPostgresIsRestored_AfterAFailover loses a window of PostgreSQL in which charges that a stop had held were refused
// by the primary and captured by the backup. After the restore they are held again, and the primary is up: they are
// found at the backup (ADR 35).
func TestPostgresIsRestored_AfterAFailover(t *testing.T) {
	t.Parallel()
	server := postgres(t)
	w := world.New(t, world.Config{Postgres: server})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled+4*time.Minute)
	defer cancel()
	n := testkit.Scale(3, 100)
	env := &wallets{Environment: w.Environments[0], t: t, ctx: ctx, checked: map[string]bool{}}
	accounts := env.accounts("pawapay", "flutterwave")
	env.charging(accounts, "pause")
	env.pay(env.payers(n, "789"))
	for count(t, w, "select count(*) from transactions where held_by_stop") < n {
		require.NoError(t, ctx.Err())
		pause(ctx, 100*time.Millisecond)
	}
	require.NoError(t, server.Kill())
	require.NoError(t, server.SaveData(ctx, snapshot))
	require.NoError(t, server.Restart(ctx))
	w.Pool.Reset()

	// The restart makes them be looked for already now, so the primary answers that it has nothing, and only then refuses.
	w.Simulator.Of("pawapay").Fault(t, "429", "POST /v2/deposits", n)
	env.charging(accounts, "resume")
	env.until(w, "success", n)
	taken := len(w.Simulator.Ledger(t))
	w.Service.Signal(t, syscall.SIGTERM)
	<-w.Service.Done()
	require.NoError(t, server.Kill())
	require.NoError(t, server.RestoreData(ctx, snapshot))
	require.NoError(t, server.Restart(ctx))
	w.Pool.Reset()
	w.Service.Start(t)

	env.charging(accounts, "resume")
	env.until(w, "success", n)
	check.AtRest(t, w, settled)
	rule.Holds(t, func() { require.Len(t, w.Simulator.Ledger(t), taken, "nothing is captured again") })
	env.requireBooked(w, n, "flutterwave")
	require.Equal(t, n, count(t, w, "select count(*) from payment_sends where reason = 'found after a restore'"))
}

// charging pauses or resumes the charging of accounts.
func (e *wallets) charging(accounts []string, verb string) {
	e.t.Helper()
	for _, id := range accounts {
		_, err := e.Change(e.ctx, http.MethodPost, "/api/payment-providers/"+id+"/"+verb+"-charging", nil)
		require.NoError(e.t, err)
	}
}

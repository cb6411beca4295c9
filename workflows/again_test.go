package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/test/scene"
)

// A command that was refused for now is judged anew when it comes again; performed, it is acted on by the same run.
func TestSubscription_RefusalForNowPasses(t *testing.T) {
	t.Parallel()
	r := onRealServer(t)
	r.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Pend }
	customer := r.Customer(t, "")
	sub := r.SubscribeAt(t, customer, r.Plan(t, scene.Monthly(1000)), time.Now())
	r.start(t, sub)
	r.eventually(t, func() bool { return asleep(r.history(t, sub.ID, "")) })
	change := changePlan(r.Plan(t, scene.Monthly(2000)).ID, false)
	for range 2 {
		err := r.Store.InTx(t.Context(), db.BySystem("test"), time.Now(), func(tx *db.Tx) error {
			_, err := change.perform(t.Context(), tx, sub)
			return err
		})
		require.Equal(t, "payment_in_progress", fault.From(err).Code)
		require.Positive(t, fault.From(err).RetryAfter)
	}

	r.Provider.Script = nil
	var txn string
	require.NoError(t, r.Pool.QueryRow(t.Context(), "select id from transactions where subscription_id = $1",
		sub.ID).Scan(&txn))
	r.Provider.Settle(txn, providers.Succeeded)
	require.NoError(t, r.engine.Check(t.Context(),
		contract.Owner{EnvironmentID: r.Env, TransactionID: txn, SubscriptionID: sub.ID},
		contract.Check{TransactionID: txn}))
	r.settled(t, sub, 1)
	r.command(t, sub, change)
	r.settled(t, sub, 2)
	r.RequireSound(t)
}

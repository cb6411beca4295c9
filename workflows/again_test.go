package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/contract"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

// A command that was refused for now is judged anew when the same command comes again, in the same run too, though
// Temporal remembers what an update was answered. Once performed it is not performed again.
func TestARefusalForNowPasses(t *testing.T) {
	t.Parallel()
	r := onRealServer(t)
	r.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Pend }
	customer := r.Customer(t, "")
	sub := r.SubscribeAt(t, customer, r.Plan(t, scene.Monthly(1000)), time.Now())
	r.start(t, sub)
	r.eventually(t, func() bool { return asleep(r.history(t, sub.ID, "")) })
	change := contract.Command{ID: id.New(id.Command, time.Now()), Name: contract.CommandChangePlan, PlanID: r.Plan(t, scene.Monthly(2000)).ID}
	ask := func() contract.CommandResult {
		out, err := r.engine.Command(t.Context(), contract.SubscriptionStart{Input: contract.SubscriptionInput{Ref: sub}}, change)
		require.NoError(t, err)
		return out
	}
	for range 2 {
		refusal := ask().Refusal
		require.Equal(t, "payment_in_progress", refusal.Code)
		require.Positive(t, refusal.RetryAfter)
	}

	r.Provider.Script = nil
	var txn string
	require.NoError(t, r.Pool.QueryRow(t.Context(), "select id from transactions where subscription_id = $1", sub.ID).Scan(&txn))
	r.Provider.Settle(txn, providers.Succeeded)
	require.NoError(t, r.engine.Check(t.Context(), contract.Owner{EnvironmentID: r.Env, TransactionID: txn, SubscriptionID: sub.ID},
		contract.Check{TransactionID: txn}))
	r.settled(t, sub, 1)
	first := ask()
	require.Nil(t, first.Refusal)
	require.Equal(t, first, ask())
	r.settled(t, sub, 2)
	r.RequireSound(t)
}

package workflows_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/simtest"
	"perennial/providers/simulator/stripesim"
	"perennial/providers/stripe"
	"perennial/service"
	"perennial/test/scene"
)

// A bank requires the payer's confirmation, which does not come: the charge is canceled after a day and the retry asks
// again a day later; then the payer confirms. Meanwhile the workflow waits, and polls rarely.
func TestSubscription_WaitsForItsPayer(t *testing.T) {
	t.Parallel()
	sc := scene.New(t)
	sim := simtest.Start(t, filepath.Join(t.TempDir(), "ledger.jsonl"), stripesim.New(stripesim.Config{}),
		func(c *core.Config) { c.Now = sc.Clock.Now })
	adapter, err := stripe.New(stripe.Config{SecretKey: "sk_test_asking0123456789", BaseURL: sim.URL})
	require.NoError(t, err)
	sc.Payments.Gateway, sc.Payments.PublicURL = scene.Gateway{Only: adapter}, "https://billing.example"
	s := subscribe(t, sc, scene.Monthly(1000))
	s.SetMethod(t, s.customer, &customer.PaymentDetails{
		CustomerToken: "cus_9", PaymentMethodToken: "pm_card_authenticationRequired",
	})
	charges := func() []payment.Transaction { // newest first
		filter := db.TransactionFilter{SubscriptionID: s.ref.ID}
		found, _, err := s.Store.Payments.Transactions(t.Context(), s.Env, filter, db.Page{Limit: 10})
		require.NoError(t, err)
		return found
	}
	s.on(scene.Start.Add(51*time.Hour), func() {
		asked := charges()[0]
		require.Equal(t, 2, asked.AttemptNumber)
		require.Equal(t, payment.ConfirmNow, asked.Confirmation(s.Clock.Now()))
		reply := sim.Control(t, "POST", "payments/"+asked.ProviderRef+"/settle", `{"status":"succeeded"}`)
		require.Equal(t, 200, reply.Status, reply.Raw)
		_, _, err := service.New(s.Store, s.Clock.Now).Payments.PayerReturned(t.Context(), asked.Action.Token, nil)
		require.NoError(t, err)
		s.env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: asked.ID})
	})
	s.play(scene.Start.Add(52 * time.Hour))

	found := charges()
	require.Len(t, found, 2)
	require.Equal(t, payment.Failed, found[1].Status)
	require.Equal(t, payment.Unconfirmed, found[1].FailureReason)
	require.Equal(t, found[1].Action.ExpiresAt, found[1].CompletedAt, "canceled at its time, not later")
	require.Equal(t, payment.Success, found[0].Status)
	require.Equal(t, scene.Start.Add(51*time.Hour), found[0].CompletedAt.Truncate(time.Minute))
	sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, s.ref.ID)
	require.NoError(t, err)
	require.Equal(t, subscription.Active, sub.Status)
	require.Len(t, sim.Moved(core.Capture), 1)
	require.Len(t, sim.Moved(core.Canceled), 1)
	calls := 0
	require.NoError(t, s.Pool.QueryRow(t.Context(), "select count(*) from provider_calls where transaction_id = $1",
		found[1].ID).Scan(&calls))
	require.LessOrEqual(t, calls, 10)
	s.RequireSound(t)
}

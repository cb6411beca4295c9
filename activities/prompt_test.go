package activities_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/payment"
	"perennial/providers/pawapay"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/pawapaysim"
	"perennial/providers/simulator/simtest"
	"perennial/test/life"
	"perennial/test/scene"
)

// A renewal by mobile money, against pawaPay's dialect: a reminder is sent the day before, and the first prompt closes
// without an answer, which is a failed attempt. The next retry sends another prompt, and the payer confirms it.
func TestPrompt_UnansweredIsPushedAgain(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	ledger := filepath.Join(t.TempDir(), "ledger.jsonl")
	sim := simtest.Start(t, ledger, pawapaysim.New(pawapaysim.Config{}), func(c *core.Config) { c.Now = s.Clock.Now })
	adapter, err := pawapay.New(pawapay.Config{APIToken: "token_of_the_account_0123456789", BaseURL: sim.URL})
	require.NoError(t, err)
	s.Payments.Gateway = scene.Gateway{Only: adapter}

	l := &life.Life{Scene: s, T: t, Payer: s.Customer(t, "")}
	s.SetMethod(t, l.Payer.ID, &scene.Wallet)
	p := scene.Monthly(5000)
	p.Currency = "XAF"
	s.Plan(t, p)
	l.Ref = s.Subscribe(t, l.Payer, p)
	l.Reload()
	confirm := func(txn payment.Transaction) {
		t.Helper()
		answer := sim.Control(t, "POST", "payments/"+txn.ProviderRef+"/settle", `{"status":"succeeded"}`)
		require.Equal(t, 200, answer.Status, answer.Raw)
	}
	l.Until(s.Clock.Now())
	require.Equal(t, payment.Pending, l.Last().Status)
	confirm(l.Last())
	l.Until(s.Clock.Now().Add(time.Minute))
	require.Equal(t, payment.Success, l.Last().Status)

	renews := scene.Start.AddDate(0, 1, 0)
	l.Until(renews.Add(-time.Minute))
	require.Equal(t, string(event.TypeSubscriptionRenewalReminder), l.Events()[len(l.Events())-1])
	l.Until(renews.Add(time.Minute))
	first := l.Last()
	require.Equal(t, payment.Pending, first.Status)
	l.Until(renews.Add(30 * time.Minute))
	require.Equal(t, payment.Failed, l.Last().Status, "the prompt has closed")
	require.Equal(t, "DECLINED", l.Last().FailureCode)

	l.Until(l.Sub().NextActionAt.Add(time.Minute))
	second := l.Last()
	require.NotEqual(t, first.ID, second.ID)
	require.NotEqual(t, first.ProviderRef, second.ProviderRef)
	require.Equal(t, 2, second.AttemptNumber)
	require.Equal(t, payment.Pending, second.Status)
	confirm(second)
	l.Until(s.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.Last().Status)
	require.Len(t, sim.Moved(core.Capture), 2)
	l.Sound()
}

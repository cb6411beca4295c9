package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/test/life"
	"perennial/test/scene"
)

// Credentials that cannot be opened are no reason to wait where a backup is free: nothing was sent. The app hears of it
// once, and when they can be read again.
func TestFailover_UnreadableCredentials(t *testing.T) {
	t.Parallel()
	l, backup, config := renewing(t)
	opens := l.Payments.Gateway.(accounts)
	l.Payments.Gateway = unopened{opens, l.Config.ID}
	sent := len(l.Provider.Calls())
	l.Until(scene.Start.AddDate(0, 2, 0))
	txn := l.Last()
	require.Equal(t, payment.Success, txn.Status)
	require.Equal(t, config.ID, txn.ProviderConfigID)
	require.Len(t, backup.Captures(), 2)
	require.Len(t, l.Provider.Calls(), sent)
	require.Len(t, l.Sends(txn.ID), 1)
	require.Equal(t, 1, l.CountEvents("provider.failing"))

	l.Payments.Gateway = opens
	l.Until(scene.Start.AddDate(0, 3, 0))
	require.Equal(t, l.Config.ID, l.Last().ProviderConfigID)
	require.Equal(t, 1, l.CountEvents("provider.recovered"))
	l.Sound()
}

// Without another account it waits, and says for whom.
func TestFailover_UnreadableCredentialsOfTheOnlyAccount(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	opens := accounts{l.Config.ID: l.Provider}
	l.Payments.Gateway = unopened{opens, l.Config.ID}
	l.Collecting()
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.Last().Status)
	require.Contains(t, l.Last().FailureReason, l.Config.ID+"): its stored credentials cannot be read")
	require.Empty(t, l.Sends(l.Last().ID))
	l.Payments.Gateway = opens
	l.Until(l.Clock.Now().Add(time.Minute))
	require.Equal(t, payment.Success, l.Last().Status)
	l.Sound()
}

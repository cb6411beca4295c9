package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

func TestMayRepeat_OnlyWhatWaitedWhenTheDatabaseWasLost(t *testing.T) {
	t.Parallel()
	restored := t0.Add(time.Hour)
	for name, c := range map[string]struct {
		change func(*payment.Transaction)
		want   bool
	}{
		"due before":                  {func(*payment.Transaction) {}, true},
		"due after":                   {func(x *payment.Transaction) { x.SendDueAt = restored }, false},
		"refused before":              {func(x *payment.Transaction) { x.SendNumber = 3 }, true},
		"held before":                 {func(x *payment.Transaction) { x.HeldBack.At = t0.Add(30 * time.Minute) }, true},
		"held after":                  {func(x *payment.Transaction) { x.HeldBack.At = restored.Add(time.Hour) }, true},
		"sent before, no answer":      {func(x *payment.Transaction) { x.FirstSentAt = t0.Add(time.Minute) }, true},
		"sent before, answered":       {func(x *payment.Transaction) { x.FirstSentAt, x.ProviderRef = t0, "pi_1" }, false},
		"sent after":                  {func(x *payment.Transaction) { x.FirstSentAt = restored }, false},
		"all asked since":             {func(x *payment.Transaction) { x.UnsentAt = restored }, false},
		"all asked before":            {func(x *payment.Transaction) { x.UnsentAt = t0 }, true},
		"a refund":                    {func(x *payment.Transaction) { x.Type = payment.Refund }, false},
		"final":                       {func(x *payment.Transaction) { x.Status = payment.Failed }, false},
		"made by a build without due": {func(x *payment.Transaction) { x.SendDueAt = time.Time{} }, false},
	} {
		txn := due()
		c.change(&txn)
		require.Equal(t, c.want, txn.MayRepeat(restored), name)
		require.False(t, txn.MayRepeat(time.Unix(0, 0)), "never restored")
	}
}

func TestFoundAt_IsFollowedAtItsAccount(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Hour)
	held := due().Held("Charging is paused.", 0, payment.Hold{ByStop: true}, now, t0)
	found := held.FoundAt(payment.Send{Number: 4, Provider: "stripe", ProviderConfigID: "pp_2"}, now)
	found.ProviderRef = "pi_1"
	require.Equal(t, 4, found.SendNumber)
	require.Equal(t, "pp_2", found.ProviderConfigID)
	require.Zero(t, found.HeldBack)
	require.Empty(t, found.FailureReason)
	require.Equal(t, payment.MoveLookup, protocol.Next(found, false, now))
	require.Zero(t, held.Park(now).FoundAt(payment.Send{Number: 4}, now).ParkedAt,
		"it is known now what a person was asked")
}

func TestUnsearched_WaitsADayForAnAnswer(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]time.Time{"not sent": {}, "sent": t0} {
		txn, restored := due(), t0.Add(time.Minute)
		txn.FirstSentAt = sent
		now, patient := restored, true
		for patient {
			txn, patient = protocol.Unsearched(txn, "No answer.", 0, payment.Hold{}, restored, now)
			require.True(t, txn.NextCheckAt.After(now), name)
			require.True(t, txn.MayRepeat(restored), name)
			require.Equal(t, "No answer.", txn.FailureReason, name)
			now = txn.NextCheckAt
		}
		require.Greater(t, now.Sub(restored), 24*time.Hour, name)
		require.Less(t, now.Sub(restored), 26*time.Hour, name)
	}
	tried := due() // for hours, at an account that rested before the restore
	tried.Checks = 1000
	_, patient := protocol.Unsearched(tried, "No answer.", time.Second, payment.Hold{},
		t0.Add(time.Minute), t0.Add(2*time.Minute))
	require.True(t, patient, "a restart is no reason for reviews")
}

func TestNothingLost_ForgetsThatItWasLookedFor(t *testing.T) {
	t.Parallel()
	txn := due()
	txn.FailureReason = "Providers are asked."
	txn = txn.NothingLost(t0.Add(time.Hour))
	require.Empty(t, txn.FailureReason)
	require.False(t, txn.MayRepeat(t0.Add(time.Minute)))
}

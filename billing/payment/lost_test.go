package payment_test

import (
	"slices"
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

func TestSearch_AsksEveryAccountUnderEveryKey(t *testing.T) {
	t.Parallel()
	restored, later := t0.Add(time.Hour), t0.Add(2*time.Hour)
	stripe := payment.Holder{AccountID: "stripe", CanAsk: true, ByTransaction: true}
	pawapay, flutterwave := payment.Holder{AccountID: "pawapay", CanAsk: true}, payment.Holder{AccountID: "flutterwave", CanAsk: true}
	adyen, second := payment.Holder{AccountID: "adyen"}, payment.Holder{AccountID: "second"}

	txn := due()
	txn.SendNumber = 2
	s := txn.Search([]payment.Holder{stripe, pawapay, flutterwave}, restored, later)
	require.Len(t, s.Ask, 1+2*12, "one look-up where it finds any send; else four rounds of three accounts")
	require.Equal(t, []payment.Question{{"stripe", 3}, {"pawapay", 3}, {"flutterwave", 3}, {"pawapay", 4}}, s.Ask[:4])
	require.Equal(t, payment.Question{AccountID: "flutterwave", Number: 14}, s.Ask[24])
	require.False(t, s.Blind)

	require.Len(t, slices.Compact(s.Ask), len(s.Ask))
	require.Equal(t, time.Minute, txn.Search([]payment.Holder{stripe, pawapay}, restored, restored).Wait)
	require.Zero(t, txn.Search([]payment.Holder{stripe, pawapay}, restored, later).Wait)
	require.Zero(t, txn.Search([]payment.Holder{stripe}, restored, restored).Wait, "it knows the key")

	require.Equal(t, payment.Search{}, txn.Search([]payment.Holder{adyen}, restored, restored), "the key is repeated there")
	require.Equal(t, payment.Search{Blind: true}, txn.Search([]payment.Holder{adyen, second}, restored, later))
	s = txn.Search([]payment.Holder{stripe, adyen}, restored, later)
	require.Len(t, s.Ask, 1)
	require.True(t, s.Blind)
	txn.FirstSentAt = t0
	require.False(t, txn.Search([]payment.Holder{adyen, second}, restored, later).Blind, "it is repeated where it was sent")
	require.Empty(t, txn.Search(nil, restored, later))
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
	require.Equal(t, payment.MoveLookup, found.Next(protocol, false, now))
}

func TestUnsearched_WaitsADayForAnAnswer(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]time.Time{"not sent": {}, "sent": t0} {
		txn, restored := due(), t0.Add(time.Minute)
		txn.FirstSentAt = sent
		now, patient := restored, true
		for patient {
			txn, patient = txn.Unsearched(protocol, "No answer.", 0, payment.Hold{}, restored, now)
			require.True(t, txn.NextCheckAt.After(now), name)
			require.True(t, txn.MayRepeat(restored), name)
			require.Equal(t, "No answer.", txn.FailureReason, name)
			now = txn.NextCheckAt
		}
		require.Greater(t, now.Sub(restored), 24*time.Hour, name)
		require.Less(t, now.Sub(restored), 14*24*time.Hour, name)
	}
	tried := due() // for hours, at an account that rested before the restore
	tried.Checks = 1000
	_, patient := tried.Unsearched(protocol, "No answer.", time.Second, payment.Hold{}, t0.Add(time.Minute), t0.Add(2*time.Minute))
	require.True(t, patient, "a restart is no reason for reviews")
}

func TestNowhere_ForgetsThatItWasLookedFor(t *testing.T) {
	t.Parallel()
	txn := due()
	txn.FailureReason = "Providers are asked."
	txn = txn.Nowhere(t0.Add(time.Hour))
	require.Empty(t, txn.FailureReason)
	require.False(t, txn.MayRepeat(t0.Add(time.Minute)))
}

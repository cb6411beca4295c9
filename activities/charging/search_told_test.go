package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// A callback names the account that has the charge while it is looked for, and look-ups do not find it.
func TestSearch_CallbackNamesTheAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent    bool // once, without an answer, to the primary
		blind   bool // the backup cannot be asked: its message is evidence
		outcome providers.Outcome
	}{
		"never sent, asked by its reference":     {false, false, providers.Succeeded},
		"never sent, told":                       {false, true, providers.Succeeded},
		"never sent, told that it is undecided":  {false, true, providers.Pending},
		"sent before, asked by its reference":    {true, false, providers.Succeeded},
		"sent before, told":                      {true, true, providers.Succeeded},
		"sent before, told that it is undecided": {true, true, providers.Pending},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, backup, config := renewing(t)
			txn := l.Last()
			if c.sent {
				l.Provider.Script = life.Always(scene.Lose)
				l.Check(txn.ID)
				l.Provider.Script = nil
			}
			backup.Settle(txn.ID, c.outcome)
			noName := func(in providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, in.Ref == "" }
			l.Provider.LookupScript, backup.LookupScript = noName, noName
			open := accounts{l.Config.ID: l.Provider, config.ID: backup}
			if c.blind {
				open[config.ID] = blind{backup}
			}
			l.Payments.Gateway = open
			l.Restore()
			for range 3 {
				l.ChargeWith(t.Context(), txn.ID)
				l.Clock.Add(time.Minute)
			}
			require.Equal(t, payment.Pending, l.Transaction(txn.ID).Status)
			txn.ProviderRef = backup.Reference(txn.ID)
			l.StoreMessage(config, says(txn, "told", c.outcome))
			for range 3 {
				l.ChargeWith(t.Context(), txn.ID)
				l.Clock.Add(time.Minute)
			}

			found := l.Transaction(txn.ID)
			require.Equal(t, config.ID, found.ProviderConfigID)
			require.Equal(t, txn.ProviderRef, found.ProviderRef)
			require.Empty(t, found.HeldBack)
			require.Empty(t, found.FailureReason, "it is not looked for any more")
			if c.outcome == providers.Pending {
				require.Equal(t, payment.Pending, found.Status)
				backup.Settle(txn.ID, providers.Succeeded)
				l.StoreMessage(config, says(txn, "in the end", providers.Succeeded))
				l.Check(txn.ID)
			}
			require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
			require.Zero(t, l.Provider.Captures()[txn.ID])
			require.Equal(t, 1, backup.Captures()[txn.ID])
			require.Zero(t, l.OpenCallbacks())
		})
	}
}

// A callback may prove nothing: then all accounts are asked nevertheless.
func TestSearch_GoesOnWhereACallbackProvesNothing(t *testing.T) {
	t.Parallel()
	l, backup, config := lost(t)
	txn := l.Last()
	l.Provider.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
		return providers.Unknown, in.Ref != ""
	}
	txn.ProviderRef = "pi_unknown"
	l.StoreMessage(l.Config, says(txn, "told", providers.Succeeded))
	for range 3 {
		l.ChargeWith(t.Context(), txn.ID)
		l.Clock.Add(time.Minute)
	}
	require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
	require.Equal(t, config.ID, l.Transaction(txn.ID).ProviderConfigID)
	require.Equal(t, 1, backup.Captures()[txn.ID])
}

// The charge was sent to one account that cannot be asked, and another one may have taken it after a refusal there. Its
// key protects it at the first only: it waits for a callback, and then for a person.
func TestSearch_SentBeforeBesideAnAccountThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	l, backup, config := renewing(t)
	txn := l.Last()
	l.Provider.Script = life.Always(scene.Lose)
	l.Check(txn.ID)
	l.Provider.Script = nil
	l.Payments.Gateway = accounts{l.Config.ID: blind{l.Provider}, config.ID: blind{backup}}
	l.Restore()
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.Last().Status)
	require.Contains(t, l.Last().FailureReason, "callback")
	require.True(t, l.Last().ParkedAt.IsZero())
	l.Until(l.Clock.Now().Add(scene.Window + 24*time.Hour)) // as any charge waits for a callback
	require.Equal(t, payment.ReviewOutcomeUnknown, l.Last().Review.Reason)
	require.Equal(t, []string{"charge"}, l.Operations(txn.ID))

	txn.ProviderRef = "psp_1" // the message comes late: it decides what waits for a person
	l.StoreMessage(config, says(txn, "late", providers.Succeeded))
	l.CheckAsked(txn.ID)
	require.Equal(t, payment.Success, l.Last().Status)
	require.Equal(t, config.ID, l.Last().ProviderConfigID)
	require.Empty(t, backup.Calls())
}

// The charge is not wanted any more, and the only account that could have taken it cannot be asked: only a callback or
// a person can find out whether it did.
func TestSearch_UnwantedWhereNobodyCanBeAsked(t *testing.T) {
	t.Parallel()
	for name, giveUp := range map[string]func(t *testing.T, l *life.Life){
		"canceled": func(_ *testing.T, l *life.Life) { l.Command(life.CancelNow("none")) },
		"erased":   func(t *testing.T, l *life.Life) { t.Helper(); life.DeleteCustomer(t, l.Scene, l.Payer.ID) },
		"nobody takes it": func(_ *testing.T, l *life.Life) {
			l.Command(life.CancelNow("none"))
			_, err := l.Pool.Exec(l.T.Context(), "update provider_configs set disabled_at = now(), is_primary = false")
			require.NoError(l.T, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Begin(t, scene.New(t), scene.Monthly(1000))
			l.Payments.Gateway = scene.Gateway{Only: blind{l.Provider}}
			l.Collecting()
			txn := l.Last()
			l.Restore()
			giveUp(t, l)
			for range 3 {
				l.ChargeWith(t.Context(), txn.ID)
				l.Clock.Add(time.Minute)
			}
			require.Equal(t, payment.Pending, l.Transaction(txn.ID).Status)
			require.Equal(t, payment.ReviewOutcomeUnknown, l.Transaction(txn.ID).Review.Reason)
			require.Empty(t, l.Operations(txn.ID))

			txn.ProviderRef = "psp_1"
			l.StoreMessage(l.Config, says(txn, "late", providers.Succeeded))
			l.CheckAsked(txn.ID)
			require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
		})
	}
}

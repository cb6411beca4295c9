package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/providers"
	"perennial/service"
	"perennial/test/scene"
)

// stores receives a message of an account as the API does. Its signal is lost, or reaches an exchange that is repeated.
func (l *life) stores(config db.ProviderConfig, m providers.Callback) {
	l.t.Helper()
	require.NoError(l.t, service.New(l.Store, l.Clock.Now).ReceiveCallback(l.t.Context(), config, m))
}

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
			txn := l.last()
			if c.sent {
				l.Provider.Script = always(scene.Lose)
				l.check(txn.ID)
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
			l.restores()
			for range 3 {
				l.attempt(t.Context(), txn.ID)
				l.Clock.Add(time.Minute)
			}
			require.Equal(t, payment.Pending, l.now(txn.ID).Status)
			txn.ProviderRef = backup.Reference(txn.ID)
			l.stores(config, says(txn, "told", c.outcome))
			for range 3 {
				l.attempt(t.Context(), txn.ID)
				l.Clock.Add(time.Minute)
			}

			found := l.now(txn.ID)
			require.Equal(t, config.ID, found.ProviderConfigID)
			require.Equal(t, txn.ProviderRef, found.ProviderRef)
			require.Empty(t, found.HeldBack)
			require.Empty(t, found.FailureReason, "it is not looked for any more")
			if c.outcome == providers.Pending {
				require.Equal(t, payment.Pending, found.Status)
				backup.Settle(txn.ID, providers.Succeeded)
				l.stores(config, says(txn, "in the end", providers.Succeeded))
				l.check(txn.ID)
			}
			require.Equal(t, payment.Success, l.now(txn.ID).Status)
			require.Zero(t, l.Provider.Captures()[txn.ID])
			require.Equal(t, 1, backup.Captures()[txn.ID])
			require.Zero(t, l.open())
		})
	}
}

// What a callback says may prove nothing: then all accounts are asked all the same.
func TestSearch_GoesOnWhereACallbackProvesNothing(t *testing.T) {
	t.Parallel()
	l, backup, config := lost(t)
	txn := l.last()
	l.Provider.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
		return providers.Unknown, in.Ref != ""
	}
	txn.ProviderRef = "pi_unknown"
	l.stores(l.Config, says(txn, "told", providers.Succeeded))
	for range 3 {
		l.attempt(t.Context(), txn.ID)
		l.Clock.Add(time.Minute)
	}
	require.Equal(t, payment.Success, l.now(txn.ID).Status)
	require.Equal(t, config.ID, l.now(txn.ID).ProviderConfigID)
	require.Equal(t, 1, backup.Captures()[txn.ID])
}

// The charge was sent to one account that cannot be asked, and another one may have taken it after a refusal there. Its
// key protects it at the first only: it waits for a callback, and then for a person.
func TestSearch_SentBeforeBesideAnAccountThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	l, backup, config := renewing(t)
	txn := l.last()
	l.Provider.Script = always(scene.Lose)
	l.check(txn.ID)
	l.Provider.Script = nil
	l.Payments.Gateway = accounts{l.Config.ID: blind{l.Provider}, config.ID: blind{backup}}
	l.restores()
	l.until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.last().Status)
	require.Contains(t, l.last().FailureReason, "callback")
	require.True(t, l.last().ParkedAt.IsZero())
	l.until(l.Clock.Now().Add(scene.Window + 24*time.Hour)) // as any charge waits for a callback
	require.Equal(t, payment.ReviewOutcomeUnknown, l.last().Review.Reason)
	require.Equal(t, []string{"charge"}, l.operations(txn.ID))

	txn.ProviderRef = "psp_1" // the message comes late: it decides what waits for a person
	l.stores(config, says(txn, "late", providers.Succeeded))
	l.asked(txn.ID)
	require.Equal(t, payment.Success, l.last().Status)
	require.Equal(t, config.ID, l.last().ProviderConfigID)
	require.Empty(t, backup.Calls())
}

// Nobody wants the charge any more, and the only account that could have taken it cannot be asked: whether it did, only
// a callback or a person can tell.
func TestSearch_UnwantedWhereNobodyCanBeAsked(t *testing.T) {
	t.Parallel()
	for name, giveUp := range map[string]func(t *testing.T, l *life){
		"canceled": func(_ *testing.T, l *life) { l.command(cancelNow("none")) },
		"erased":   func(t *testing.T, l *life) { t.Helper(); deleteCustomer(t, l.Scene, l.customer.ID) },
		"nobody takes it": func(_ *testing.T, l *life) {
			l.command(cancelNow("none"))
			_, err := l.Pool.Exec(l.t.Context(), "update provider_configs set disabled_at = now(), is_primary = false")
			require.NoError(l.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, scene.New(t), scene.Monthly(1000))
			l.Payments.Gateway = scene.Gateway{Only: blind{l.Provider}}
			l.collecting()
			txn := l.last()
			l.restores()
			giveUp(t, l)
			for range 3 {
				l.attempt(t.Context(), txn.ID)
				l.Clock.Add(time.Minute)
			}
			require.Equal(t, payment.Pending, l.now(txn.ID).Status)
			require.Equal(t, payment.ReviewOutcomeUnknown, l.now(txn.ID).Review.Reason)
			require.Empty(t, l.operations(txn.ID))

			txn.ProviderRef = "psp_1"
			l.stores(l.Config, says(txn, "late", providers.Succeeded))
			l.asked(txn.ID)
			require.Equal(t, payment.Success, l.now(txn.ID).Status)
		})
	}
}

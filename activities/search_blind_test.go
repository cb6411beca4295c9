package activities_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/scene"
)

// unasked takes cancels, tells what came of them by callbacks only, and remembers keys for days.
type unasked struct{ blind }

func (u unasked) Capabilities() providers.Capabilities {
	can := u.blind.Capabilities()
	can.ReplayWindow = 5 * 24 * time.Hour
	return can
}

func (u unasked) CancelCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	_, err := u.blind.CancelCharge(ctx, in)
	return providers.Result{Outcome: providers.Pending}, err
}

// sentBlindly is a renewal that was sent to one of two accounts that cannot be asked, in the last moment before the
// database came under another server. Its answer is lost. asked: there is a third account, which has nothing.
func sentBlindly(t *testing.T, asked bool) (l *life, txn payment.Transaction) {
	t.Helper()
	l, backup, config := renewing(t)
	txn = l.last()
	l.Provider.Script = always(scene.Lose)
	l.check(txn.ID)
	l.Provider.Script = nil
	open := accounts{l.Config.ID: unasked{blind{l.Provider}}, config.ID: unasked{blind{backup}}}
	if asked {
		third, other := withBackup(t, l.Scene)
		open[third.ID] = other
	}
	l.Payments.Gateway = open
	l.restores()
	return l, txn
}

// Nobody wants the charge any more: the account that it was sent to is asked to cancel it, although another one that
// cannot be asked may have it.
func TestSearch_CancelReachesAnAccountThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	for name, asked := range map[string]bool{"two accounts": false, "a third one has nothing": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, txn := sentBlindly(t, asked)
			l.command(cancelNow("none"))
			for range 3 {
				l.attempt(t.Context(), txn.ID)
				l.Clock.Add(time.Minute)
			}
			require.Contains(t, l.operations(txn.ID), "cancel")
			require.Equal(t, payment.Pending, l.now(txn.ID).Status, "its callback decides")
			require.Zero(t, l.now(txn.ID).ParkedAt)
			require.NotContains(t, l.operations(txn.ID)[1:], "charge")
		})
	}
}

// The provider refused the charge in the payer's absence while the answer could not be recorded. No repeat is allowed
// that would bring its reference, so that the callback about the refusal counts once no call can still be under way.
func TestSearch_RefusalCountsWhereNoRepeatWillNameIt(t *testing.T) {
	t.Parallel()
	l, txn := sentBlindly(t, false)
	l.attempt(t.Context(), txn.ID)
	l.stores(l.Config, refusedFirst(txn, "FIRST00000000000"))
	l.Clock.Add(30 * time.Second)
	l.attempt(t.Context(), txn.ID)
	require.Equal(t, payment.Pending, l.now(txn.ID).Status, "it may be made again just now, with the payer there")
	l.Clock.Add(time.Minute)
	l.attempt(t.Context(), txn.ID)
	require.Equal(t, payment.Failed, l.now(txn.ID).Status)
	require.Equal(t, []string{"charge"}, l.operations(txn.ID))
	require.Zero(t, l.open())
}

// A callback says that an account has failed the charge. That one may have refused it in the window that is lost, and
// another one have taken it then: it is looked for all the same.
func TestSearch_CallbackAboutABadEndIsNoEnd(t *testing.T) {
	t.Parallel()
	l, backup, config := lost(t)
	txn := l.last()
	l.Provider.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
		if in.Ref == "" {
			return providers.NotFound, true
		}
		return providers.Failed, true
	}
	txn.ProviderRef = "pi_refused"
	l.stores(l.Config, says(txn, "failed", providers.Failed))
	for range 3 {
		l.attempt(t.Context(), txn.ID)
		l.Clock.Add(time.Minute)
	}
	require.Equal(t, payment.Success, l.now(txn.ID).Status)
	require.Equal(t, config.ID, l.now(txn.ID).ProviderConfigID)
	require.Equal(t, 1, backup.Captures()[txn.ID])
	require.Zero(t, l.open())
}

// The primary refused the first send, and the backup took another one in the window that is lost. The backup's callback
// says nothing about the send to the primary.
func TestSearch_CallbackOfALostSendLeavesTheRefusedOne(t *testing.T) {
	t.Parallel()
	l, backup, config := renewing(t)
	l.Provider.Script, backup.Script = always(scene.Refuse), always(scene.Refuse)
	_, err := l.Pool.Exec(t.Context(), "update provider_configs set disabled_at = now() where id = $1", config.ID)
	require.NoError(t, err)
	txn := l.last()
	l.check(txn.ID)
	require.Len(t, l.sends(txn.ID), 1)
	_, err = l.Pool.Exec(t.Context(), "update provider_configs set disabled_at = null where id = $1", config.ID)
	require.NoError(t, err)
	backup.Settle(txn.ID, providers.Succeeded)
	l.restores()

	txn.ProviderRef = backup.Reference(txn.ID)
	l.stores(config, says(txn, "told", providers.Succeeded))
	l.attempt(t.Context(), txn.ID)

	require.Equal(t, payment.Success, l.now(txn.ID).Status)
	require.Equal(t, config.ID, l.now(txn.ID).ProviderConfigID)
	refused := l.sends(txn.ID)[0]
	require.Equal(t, l.Config.ID, refused.ProviderConfigID)
	require.Equal(t, payment.AnswerNotSent, refused.Outcome)
	require.Empty(t, refused.ProviderRef)
}

// hasty asks us to come back later when it is asked.
type hasty struct{ *scene.Provider }

func (h hasty) LookupCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	res, err := h.Provider.LookupCharge(ctx, in)
	res.RetryAfter = 20 * time.Minute
	return res, err
}

// What an account that does not answer asks for is kept, whoever else is asked in the same round, and the round counts
// as one check.
func TestSearch_KeepsTheLongestRetryAfter(t *testing.T) {
	t.Parallel()
	l, backup, config := lost(t)
	silent := func(providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, true }
	l.Provider.LookupScript, backup.LookupScript = silent, silent
	l.Payments.Gateway = accounts{l.Config.ID: hasty{l.Provider}, config.ID: backup}
	l.attempt(t.Context(), l.last().ID) // waits for what was in flight
	for range 2 {
		l.Clock.Add(time.Hour)
		before := l.last().Checks
		l.attempt(t.Context(), l.last().ID)
		require.Equal(t, before+1, l.last().Checks)
		require.Equal(t, l.Clock.Now().Add(20*time.Minute-time.Second), l.last().NextCheckAt)
	}
}

// Who was sent a charge and cannot be asked is waited for as long as one who does not answer.
func TestSearch_WaitsADayForACallback(t *testing.T) {
	t.Parallel()
	l, txn := sentBlindly(t, false)
	l.until(l.Clock.Now().Add(23 * time.Hour))
	require.Zero(t, l.now(txn.ID).ParkedAt)
	l.until(l.Clock.Now().Add(4 * time.Hour))
	require.Equal(t, payment.ReviewOutcomeUnknown, l.now(txn.ID).Review.Reason)
}

package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// unasked accepts cancels, reports their outcome by callbacks only, and remembers keys for days.
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
func sentBlindly(t *testing.T, asked bool) (l *life.Life, txn payment.Transaction) {
	t.Helper()
	l, backup, config := renewing(t)
	txn = l.Last()
	l.Provider.Script = life.Always(scene.Lose)
	l.Check(txn.ID)
	l.Provider.Script = nil
	open := accounts{l.Config.ID: unasked{blind{l.Provider}}, config.ID: unasked{blind{backup}}}
	if asked {
		third, other := withBackup(t, l.Scene)
		open[third.ID] = other
	}
	l.Payments.Gateway = open
	l.Restore()
	return l, txn
}

// A canceled charge is canceled at the account that it was sent to, although another account, which cannot be asked,
// may have it.
func TestSearch_CancelReachesAnAccountThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	for name, asked := range map[string]bool{"two accounts": false, "a third one has nothing": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, txn := sentBlindly(t, asked)
			l.Command(life.CancelNow("none"))
			for range 3 {
				l.ChargeWith(t.Context(), txn.ID)
				l.Clock.Add(time.Minute)
			}
			require.Contains(t, l.Operations(txn.ID), "cancel")
			require.Equal(t, payment.Pending, l.Transaction(txn.ID).Status, "its callback decides")
			require.Zero(t, l.Transaction(txn.ID).ParkedAt)
			require.NotContains(t, l.Operations(txn.ID)[1:], "charge")
		})
	}
}

// The provider refused the charge in the payer's absence while the answer could not be recorded. No repeat is allowed
// that would bring its reference, so that the callback about the refusal counts once no call can still be under way.
func TestSearch_RefusalCountsWhereNoRepeatWillNameIt(t *testing.T) {
	t.Parallel()
	l, txn := sentBlindly(t, false)
	l.ChargeWith(t.Context(), txn.ID)
	l.StoreMessage(l.Config, refusedFirst(txn, "FIRST00000000000"))
	l.Clock.Add(30 * time.Second)
	l.ChargeWith(t.Context(), txn.ID)
	require.Equal(t, payment.Pending, l.Transaction(txn.ID).Status, "it may be made again just now, with the payer there")
	l.Clock.Add(time.Minute)
	l.ChargeWith(t.Context(), txn.ID)
	require.Equal(t, payment.Failed, l.Transaction(txn.ID).Status)
	require.Equal(t, []string{"charge"}, l.Operations(txn.ID))
	require.Zero(t, l.OpenCallbacks())
}

// A callback says that an account has failed the charge. That one may have refused it in the window that is lost, and
// another one have taken it then: it is looked for all the same.
func TestSearch_CallbackAboutABadEndIsNoEnd(t *testing.T) {
	t.Parallel()
	l, backup, config := lost(t)
	txn := l.Last()
	l.Provider.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
		if in.Ref == "" {
			return providers.NotFound, true
		}
		return providers.Failed, true
	}
	txn.ProviderRef = "pi_refused"
	l.StoreMessage(l.Config, says(txn, "failed", providers.Failed))
	for range 3 {
		l.ChargeWith(t.Context(), txn.ID)
		l.Clock.Add(time.Minute)
	}
	require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
	require.Equal(t, config.ID, l.Transaction(txn.ID).ProviderConfigID)
	require.Equal(t, 1, backup.Captures()[txn.ID])
	require.Zero(t, l.OpenCallbacks())
}

// The primary refused the first send, and the backup took another one in the window that is lost. The backup's callback
// says nothing about the send to the primary.
func TestSearch_CallbackOfALostSendLeavesTheRefusedOne(t *testing.T) {
	t.Parallel()
	l, backup, config := renewing(t)
	l.Provider.Script, backup.Script = life.Always(scene.Refuse), life.Always(scene.Refuse)
	_, err := l.Pool.Exec(t.Context(), "update provider_configs set disabled_at = now() where id = $1", config.ID)
	require.NoError(t, err)
	txn := l.Last()
	l.Check(txn.ID)
	require.Len(t, l.Sends(txn.ID), 1)
	_, err = l.Pool.Exec(t.Context(), "update provider_configs set disabled_at = null where id = $1", config.ID)
	require.NoError(t, err)
	backup.Settle(txn.ID, providers.Succeeded)
	l.Restore()

	txn.ProviderRef = backup.Reference(txn.ID)
	l.StoreMessage(config, says(txn, "told", providers.Succeeded))
	l.ChargeWith(t.Context(), txn.ID)

	require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
	require.Equal(t, config.ID, l.Transaction(txn.ID).ProviderConfigID)
	refused := l.Sends(txn.ID)[0]
	require.Equal(t, l.Config.ID, refused.ProviderConfigID)
	require.Equal(t, answer.NotSent, refused.Outcome)
	require.Empty(t, refused.ProviderRef)
}

// hasty answers look-ups with a Retry-After.
type hasty struct{ *scene.Provider }

func (h hasty) LookupCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	res, err := h.Provider.LookupCharge(ctx, in)
	res.RetryAfter = 20 * time.Minute
	return res, err
}

// The Retry-After of an account that does not answer is kept, whatever the other accounts of the round answer, and the
// round counts as one check.
func TestSearch_KeepsTheLongestRetryAfter(t *testing.T) {
	t.Parallel()
	l, backup, config := lost(t)
	silent := func(providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, true }
	l.Provider.LookupScript, backup.LookupScript = silent, silent
	l.Payments.Gateway = accounts{l.Config.ID: hasty{l.Provider}, config.ID: backup}
	l.ChargeWith(t.Context(), l.Last().ID) // waits for requests in flight
	for range 2 {
		l.Clock.Add(time.Hour)
		before := l.Last().Checks
		l.ChargeWith(t.Context(), l.Last().ID)
		require.Equal(t, before+1, l.Last().Checks)
		require.Equal(t, l.Clock.Now().Add(20*time.Minute-time.Second), l.Last().NextCheckAt)
	}
}

// An account that was sent a charge and cannot be asked is waited for as long as one that does not answer.
func TestSearch_WaitsADayForACallback(t *testing.T) {
	t.Parallel()
	l, txn := sentBlindly(t, false)
	l.Until(l.Clock.Now().Add(23 * time.Hour))
	require.Zero(t, l.Transaction(txn.ID).ParkedAt)
	l.Until(l.Clock.Now().Add(4 * time.Hour))
	require.Equal(t, payment.ReviewOutcomeUnknown, l.Transaction(txn.ID).Review.Reason)
}

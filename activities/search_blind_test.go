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

// unasked takes cancels, and tells what came of them by callbacks only.
type unasked struct{ blind }

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

// The provider refused the charge in the payer's absence while the answer could not be recorded. No repeat is allowed that
// would bring its reference, so that the callback about the refusal counts once no call can still be under way.
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

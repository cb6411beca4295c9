package charging

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"perennial/billing/charging"
	"perennial/contract"
	"perennial/db"
)

// A payment that waits for nothing but time waits as a repeat of its activity: that costs neither an event of the
// workflow's history nor a slot of the worker, however long an outage lasts.

const (
	busyWait    = 250 * time.Millisecond // doubled with each repeat
	longestBusy = 8 * time.Second
)

// waiting returns the error that has an activity repeated after a while.
func waiting(kind, message string, after time.Duration) error {
	return temporal.NewApplicationErrorWithOptions(message, kind, temporal.ApplicationErrorOptions{
		NextRetryDelay: after, Category: temporal.ApplicationErrorCategoryBenign,
	})
}

// errBusy returns the error of a payment whose account has no room for another request. The waits grow and differ, so
// that a crowd behind a slow account costs little. least is the shortest time until there can be room.
func errBusy(ctx context.Context, least time.Duration) error {
	gap := busyWait
	if activity.IsActivity(ctx) {
		gap <<= min(activity.GetInfo(ctx).Attempt, 10) - 1
	}
	gap = min(gap, longestBusy)
	//nolint:gosec // it only spreads
	return waiting("provider_busy", "This provider account has as many requests as it may have.", least+gap/2+rand.N(gap))
}

// turnSoon is for an exchange that has its turn at an account in a moment. It waits without its slot and before
// anything of it is committed: no other request waits for it, and if the process dies meanwhile, nothing was sent.
type turnSoon struct {
	account string
	wait    time.Duration
}

func (t turnSoon) Error() string {
	return "the turn at account " + t.account + " is in " + t.wait.String()
}

// turn takes a turn at the account. It reports whether the payment comes again later instead; see paced.
func (a *Payments) turn(
	ctx context.Context, tx *db.Tx, env string, r *progress, x *exchange, now time.Time,
) (later bool, _ error) {
	x.limit = cmp.Or(x.config.MaxRequestsPerSecond, x.provider.Capabilities().RequestsPerSecond)
	switch {
	case r.turn == x.AccountID: // it has come
		return false, nil
	case slices.Contains(r.Questioned, x.AccountID): // one of several questions: together they had a turn
		a.Pacing.Owe(x.AccountID, x.limit, 1)
		return false, nil
	}
	return a.paced(ctx, tx, env, x, now)
}

// paced takes a turn for the exchange. It reports whether the payment comes again later instead, as its row then
// says: a crowd waits in its workflows, where a callback or a cancellation wakes it. The error is turnSoon where
// the turn is taken, and has not come.
func (a *Payments) paced(ctx context.Context, tx *db.Tx, env string, x *exchange, now time.Time) (later bool, _ error) {
	wait, mine := a.Pacing.Take(x.AccountID, x.limit, x.Errand(), promised(ctx, *x, now))
	switch x.Turn(wait, mine) {
	case charging.TurnNow:
		return false, nil
	case charging.TurnSoon:
		return false, turnSoon{account: x.AccountID, wait: wait}
	case charging.TurnBusy:
		return false, errBusy(ctx, wait)
	case charging.TurnNear:
		return false, waiting("provider_busy", "The payment's turn at this provider account is near.", wait)
	case charging.TurnLater:
	}
	x.Step = x.PutOff(wait, now)
	return true, tx.Payments.SaveTransaction(ctx, env, x.Transaction)
}

// promised returns the time that the payment was given for its turn; zero: it comes for the first time. One whose turn
// was near waits as a repeat of its activity.
func promised(ctx context.Context, x exchange, now time.Time) time.Time {
	if activity.IsActivity(ctx) && activity.GetInfo(ctx).Attempt > 1 {
		return now
	}
	return x.Promised()
}

// errUnsent is for a payment that no provider has, and that is tried again when one may be there. It returns nil for
// any other, and outside of a workflow, where the caller looks at the result.
func (a *Payments) errUnsent(ctx context.Context, r progress) error {
	gap, waits := r.Unsent(r.txn, a.Clock())
	if !waits || !activity.IsActivity(ctx) {
		return nil
	}
	// The provider's words stay in the row: this text is shown in Temporal.
	why := cmp.Or(contract.HeldOf(r.txn).Why, "No provider has taken the payment yet. Its row says why.")
	return waiting("payment_unsent", why, gap)
}

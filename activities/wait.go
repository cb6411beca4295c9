package activities

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"perennial/billing/payment"
	"perennial/contract"
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

// errBusy is for a payment whose account has no slot for another request. The waits grow and differ, so that a crowd
// behind an account that hangs costs little.
func errBusy(ctx context.Context) error {
	gap := busyWait
	if activity.IsActivity(ctx) {
		gap <<= min(activity.GetInfo(ctx).Attempt, 10) - 1
	}
	return waiting("provider_busy", "This provider account has as many requests as it may have.",
		spread(min(gap, longestBusy)))
}

// errPaced is for a payment that has no turn yet at the pace of its account.
func errPaced(wait time.Duration) error {
	return waiting("provider_busy", "This provider account takes so many requests a second.", spread(wait))
}

// spread makes waits differ, by half in either direction.
func spread(wait time.Duration) time.Duration {
	return wait/2 + rand.N(wait+1) //nolint:gosec // it only spreads
}

// errUnsent is for a payment that no provider has, and that is tried again when one may be there. It returns nil for any
// other, and outside of a workflow, where the caller looks at the result. What waits for a person waits in its workflow,
// which a signal wakes.
func (a *Payments) errUnsent(ctx context.Context, r round) error {
	t := r.txn
	gap := t.NextCheckAt.Sub(a.Clock())
	unsent := t.Status == payment.Pending && !t.EverSent() && t.ParkedAt.IsZero()
	if !r.idle || !unsent || gap <= 0 || !activity.IsActivity(ctx) {
		return nil
	}
	// What a provider said stays in the row: this is shown in Temporal.
	why := cmp.Or(contract.HeldOf(t).Why, "No provider has taken the payment yet. Its row says why.")
	return waiting("payment_unsent", why, gap)
}

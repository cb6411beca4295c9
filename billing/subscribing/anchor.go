package subscribing

import (
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/subscription"
)

// ErrAnchorInTrial refuses another anchor in a trial, whose end is the anchor.
var ErrAnchorInTrial = fault.New(fault.Conflict, "subscription_in_trial",
	"The periods of a subscription in its trial are counted from the end of the trial. Move that with `trialEndsAt`.").
	In("billingAnchor")

// ErrPeriodUnpaid refuses to end a period without proration while its invoice is open: who pays it would pay for time
// that another period bills too.
var ErrPeriodUnpaid = fault.New(fault.Conflict, "subscription_invoice_open",
	"The invoice of the current period is open, or still a draft. Pay it, void it or mark it uncollectible, or send "+
		"another `prorationBehavior`.")

// MoveAnchor ends the current period and begins one from which all later ones are counted, both now. The unused time is
// credited and the new period charged as where a change of interval restarts the period; with NoProration nothing is
// credited, and the periods before are closed: what they billed counts no longer. It is invoiced now, whatever else how
// says. What waits for the end of the period goes on waiting, for the end of the new one. A cancellation that waits for
// it refuses the move: the new period would be billed to somebody who leaves. Faults: subscription_canceled,
// subscription_in_trial, subscription_paused, cancellation_scheduled, period_just_begun, subscription_invoice_open,
// payment_in_progress, renewal_due, period_paid_elsewhere, amount_too_large.
func (s Situation) MoveAnchor(how subscription.ProrationBehavior, now time.Time) (Decision, error) {
	if err := permit(s.Status, moveAnchor); err != nil {
		return Decision{}, err
	}
	at := now.UTC().Truncate(time.Second)
	switch {
	case s.CancelAtPeriodEnd:
		return Decision{}, ErrEnding
	case at.Equal(s.CurrentPeriod.Start):
		return Decision{}, ErrSameInstant
	case how == subscription.NoProration && s.Facts.OpenFor(s.PeriodIndex) != nil:
		return Decision{}, ErrPeriodUnpaid
	}
	moved := proposal{Situation: s, how: how, restarts: true}
	issue, err := moved.exchange(s.Facts.Plan, slices.Clone(s.Items), at)
	if err != nil {
		return Decision{}, err
	}
	if how == subscription.NoProration {
		moved.RenewedFrom, moved.RenewedIndex = moved.CurrentPeriod.Start, moved.PeriodIndex
	}
	return Decision{
		Subscription: moved.Subscription, Issue: issue, Events: []event.Event{moved.Updated(now, "billingAnchor")},
	}, nil
}

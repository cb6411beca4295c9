package plan

import (
	"cmp"

	"perennial/billing/fault"
)

// TrialEnd is the effect of the end of a trial without a payment method.
type TrialEnd string

// The behaviors, named as Stripe names them. Empty: TrialEndInvoice.
const (
	TrialEndInvoice TrialEnd = "invoice" // the first period begins, and its invoice is unpaid
	TrialEndCancel  TrialEnd = "cancel"  // the subscription is canceled
	TrialEndPause   TrialEnd = "pause"   // it is paused until a payment method is added
)

// Same reports whether two behaviors are one.
func (e TrialEnd) Same(other TrialEnd) bool {
	return cmp.Or(e, TrialEndInvoice) == cmp.Or(other, TrialEndInvoice)
}

// Validate refuses any other: trial_end_behavior_unknown.
func (e TrialEnd) Validate() error {
	switch e {
	case "", TrialEndInvoice, TrialEndCancel, TrialEndPause:
		return nil
	}
	return fault.InvalidParam("trialEndBehavior", "trial_end_behavior_unknown",
		"`trialEndBehavior` cannot be %.40q. Send `%s`, `%s` or `%s`.", string(e), TrialEndInvoice,
		TrialEndCancel, TrialEndPause)
}

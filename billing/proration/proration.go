// Package proration owns what a change within a period is worth: which part of a price falls on the rest of the period,
// and how much of the time not used is given back. It does not own where a credit goes or how invoice lines look.
package proration

import (
	"time"

	"perennial/billing/money"
	"perennial/billing/period"
)

// Rest is the part of a period's price that falls on the time from at to the period's end, counted in seconds: the
// charge of whoever changes to the price, and the worth of the unused time of whoever leaves it. A chain of changes in one
// period costs exactly the sum of what each price was used for, and a change to the same price costs nothing.
//
// At the very start that is all of the price. The end already belongs to the next period; there, and anywhere else
// outside, the answer is `change_outside_period`: whoever asks has to renew first, and a clamped amount would hide
// that. `period_empty`: no whole second to divide.
func Rest(price money.Minor, of period.Period, at time.Time) (money.Minor, error) {
	rest, err := Second.Rest(of, at, nil)
	if err != nil {
		return 0, err
	}
	return rest.Of(price), nil
}

// Credit is what is given back for unused time: its worth, but at most what is billed for it less the credits already
// given. Nobody gets back what was never asked of him, and credits beyond what is billed leave nothing to give.
func Credit(unused, billed money.Minor) money.Minor {
	return max(0, min(unused, billed))
}

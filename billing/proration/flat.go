// Package proration owns what a change within a period costs: the value of the time not used under the old price, and the
// charge for the same time under the new one. It does not own where a credit goes or how invoice lines look.
package proration

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/period"
)

// Input is a change from one flat price to another at an instant of the current period.
type Input struct {
	Period   period.Period
	At       time.Time
	OldPrice money.Minor // of the whole period
	NewPrice money.Minor // of the whole period
	// PaidForOld is what was settled for the old price's line of this period, less the credits already given for it: the
	// whole price where the period began with it, the charge of the earlier change where it was itself changed to. Below
	// zero (more was credited than paid) it leaves nothing to credit.
	PaidForOld money.Minor
}

// Result is what the change is worth. No amount is negative.
type Result struct {
	Credit money.Minor // Unused, but at most PaidForOld: nobody is given back what was never paid
	Unused money.Minor // of the old price, from At to the end
	Used   money.Minor // of the old price, from the start to At; Used + Unused = OldPrice
	Charge money.Minor // of the new price, from At to the end
}

// FlatChange prorates to the second. Both prices are divided at the same second with money.Part, so a chain of changes in
// one period that are all paid costs exactly the sum of what each price was used for, and a change to the same price
// costs nothing.
//
// A change at the very start credits and charges in full. The end already belongs to the next period; there, and anywhere
// else outside, the answer is `change_outside_period`: whoever asks has to renew first, and a clamped amount would hide
// that. `period_empty`: no whole second to divide. `amount_negative`, `amount_too_large`: a price is no such.
func FlatChange(in Input) (Result, error) {
	if err := in.validate(); err != nil {
		return Result{}, err
	}
	length := in.Period.Seconds()
	at := in.At.Unix() - in.Period.Start.Unix()
	unused := money.Part(in.OldPrice, at, length, length)
	return Result{
		Credit: max(0, min(unused, in.PaidForOld)),
		Unused: unused,
		Used:   in.OldPrice - unused,
		Charge: money.Part(in.NewPrice, at, length, length),
	}, nil
}

func (in Input) validate() error {
	if in.Period.Seconds() < 1 {
		return fault.New(fault.Invalid, "period_empty", "the period %s has no second to divide a price by", in.Period)
	}
	if !in.Period.Contains(in.At) {
		return fault.New(fault.Invalid, "change_outside_period",
			"a change at %s does not lie in the period %s; renew first", in.At.UTC().Format(time.RFC3339), in.Period)
	}
	for _, price := range []struct {
		param string
		value money.Minor
	}{{"oldPrice", in.OldPrice}, {"newPrice", in.NewPrice}} {
		if price.value < 0 {
			return fault.InvalidParam(price.param, "amount_negative", "a price is 0 or more")
		}
		if err := price.value.Check(); err != nil {
			return fault.From(err).In(price.param)
		}
	}
	return nil
}

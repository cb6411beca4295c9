package lifecycle

import (
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// Cancel ends the subscription, now or with its period. Faults: those of subscribing.Cancel.
type Cancel subscribing.Cancellation

// Name returns cancel.
func (Cancel) Name() string { return "cancel" }

func (c Cancel) judge(d *Decision) (func() error, error) {
	made, err := d.situation().Cancel(subscribing.Cancellation(c), d.Now)
	return func() error { return d.carryOut(made) }, err
}

// GivesBack reports whether a command may credit unused time, which depends on earlier refunds of the captures.
func GivesBack(c Command) bool {
	switch c := c.(type) {
	case Cancel:
		return c.RefundUnused
	case ChangePlan:
		return !c.AtPeriodEnd // the preview foresees a change at a date
	case Migrate:
		return !c.AtPeriodEnd
	case MoveAnchor:
		return c.Proration != subscription.NoProration
	case Pause:
		return c.CreditUnused
	default:
		return false
	}
}

// Reactivate withdraws a cancellation at the period's end. Faults: those of subscribing.Reactivate.
type Reactivate struct{}

// Name returns reactivate.
func (Reactivate) Name() string { return "reactivate" }

func (Reactivate) judge(d *Decision) (func() error, error) {
	made, err := d.situation().Reactivate(d.Now)
	return func() error { return d.carryOut(made) }, err
}

package lifecycle

import (
	"time"

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
		return c.On.IsZero() && c.Proration != subscription.NoProration
	case Pause:
		return c.CreditUnused
	default:
		return false
	}
}

// NeedsCaptures reports whether a command, or the preview of its consequences, depends on earlier refunds of the
// captures.
func (s State) NeedsCaptures(c Command) bool {
	if cancel, ok := c.(Cancel); ok && !cancel.Immediate {
		s.Subscription.CancelAtPeriodEnd = true
		return s.MayGiveBack()
	}
	return GivesBack(c)
}

// AsOf returns a command that credits and bills time from at on, at most now, instead of from now on. Others cost the
// same at any time.
func AsOf(c Command, at time.Time) Command {
	switch c := c.(type) {
	case Cancel:
		c.At = at
		return c
	case ChangePlan:
		c.At = at
		return c
	case Migrate:
		c.At = at
		return c
	case MoveAnchor:
		c.At = at
		return c
	case Pause:
		c.At = at
		return c
	case Resume:
		c.At = at
		return c
	default:
		return c
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

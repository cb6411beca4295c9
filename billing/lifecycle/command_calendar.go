package lifecycle

import (
	"time"

	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// EndTrial moves the end of the subscription's trial. If that is now, the first period begins and is billed at once.
// Faults: those of subscribing.EndTrialAt.
type EndTrial struct {
	At time.Time
}

// Name returns change_plan: the workflow handles it as a change of plan, with another date to wait for.
func (EndTrial) Name() string { return "change_plan" }

func (c EndTrial) judge(d *Decision) (func() error, error) {
	made, err := d.situation().EndTrialAt(c.At, d.Now)
	if err != nil {
		return nil, err
	}
	return func() error {
		if err := d.carryOut(made); err != nil {
			return err
		}
		return d.CatchUp()
	}, nil
}

// MoveAnchor begins a period now or at a date, from which all later ones are counted. Faults: those of
// subscribing.MoveAnchor and subscribing.ScheduleAnchor.
type MoveAnchor struct {
	Proration subscription.ProrationBehavior
	At        time.Time // the period begins then, at most now; zero: now
	On        time.Time // it will begin then, after now; zero: it begins at At
}

// Name returns change_plan: the workflow handles it as a change of plan, with another date to wait for.
func (MoveAnchor) Name() string { return "change_plan" }

func (c MoveAnchor) judge(d *Decision) (func() error, error) {
	var made subscribing.Decision
	var err error
	if c.On.IsZero() {
		made, err = d.situation().MoveAnchor(c.Proration, c.At, d.Now)
	} else {
		made, err = subscribing.ScheduleAnchor(d.situation(), c.Proration, c.On, d.IDs.ScheduledChange(d.Real), d.Now)
	}
	return func() error { return d.carryOut(made) }, err
}

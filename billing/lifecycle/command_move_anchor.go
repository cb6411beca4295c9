package lifecycle

import "perennial/billing/subscription"

// MoveAnchor begins a period now, from which all later ones are counted. Faults: those of subscribing.MoveAnchor.
type MoveAnchor struct {
	Proration subscription.ProrationBehavior
}

// Name implements Command. To the workflow it is a change of plan: another date to wait for.
func (MoveAnchor) Name() string { return "change_plan" }

func (c MoveAnchor) judge(d *Decision) (func() error, error) {
	made, err := d.situation().MoveAnchor(c.Proration, d.Now)
	return func() error { return d.carryOut(made) }, err
}

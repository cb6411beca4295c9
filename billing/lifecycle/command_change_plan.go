package lifecycle

import "perennial/billing/plan"

// ChangePlan moves the subscription to another plan, now or at the period's end. Faults: those of
// subscription.ChangePlan.
type ChangePlan struct {
	To          plan.Plan
	AtPeriodEnd bool
}

// Name implements Command.
func (ChangePlan) Name() string { return "change_plan" }

func (c ChangePlan) judge(d *decision) (func() error, error) {
	made, err := d.Subscription.ChangePlan(d.Facts(), c.To, c.AtPeriodEnd, d.Now)
	if err != nil {
		return nil, err
	}
	return func() error {
		if made.Subscription.PlanID == c.To.ID || made.Subscription.PendingPlanID == c.To.ID {
			d.PendingPlan = &c.To
		}
		return d.carryOut(made)
	}, nil
}

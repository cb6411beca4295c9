package lifecycle

import "perennial/billing/subscription"

// ChangePlan moves the subscription to another plan or another quantity, now or at the period's end. Faults: those of
// subscription.ChangePlan.
type ChangePlan subscription.Change

// Name implements Command.
func (ChangePlan) Name() string { return "change_plan" }

func (c ChangePlan) judge(d *decision) (func() error, error) {
	made, err := d.Subscription.ChangePlan(d.Facts(), subscription.Change(c), d.Now)
	if err != nil {
		return nil, err
	}
	return func() error {
		d.brought = c.Plan
		return d.carryOut(made)
	}, nil
}

package lifecycle

import "perennial/billing/plan"

// Migrate moves the subscription to another version of its plan, now or at the period's end. Faults: those of
// subscription.Migrate.
type Migrate struct {
	To          plan.Plan
	AtPeriodEnd bool
}

// Name implements Command. To the workflow a migration is a change of plan.
func (Migrate) Name() string { return "change_plan" }

func (c Migrate) judge(d *decision) (func() error, error) {
	made, err := d.Subscription.Migrate(d.Facts(), c.To, c.AtPeriodEnd, d.Now)
	if err != nil {
		return nil, err
	}
	return func() error {
		d.brought = &c.To
		return d.carryOut(made)
	}, nil
}

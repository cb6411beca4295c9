package lifecycle

import (
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// ChangePlan moves the subscription to another plan, another quantity or other add-ons, now, at the period's end
// or at a date. Faults: those of subscribing.ChangePlan and subscribing.ScheduleChange.
type ChangePlan subscribing.Change

// Name implements Command.
func (ChangePlan) Name() string { return "change_plan" }

func (c ChangePlan) judge(d *Decision) (func() error, error) {
	c = c.in(d.Subscription.Currency)
	brought := c.brings()
	situation := d.situation().Knowing(brought...)
	var made subscribing.Decision
	var err error
	if c.On.IsZero() {
		made, err = situation.ChangePlan(subscribing.Change(c), d.Now)
	} else {
		made, err = situation.ScheduleChange(subscribing.Change(c), d.IDs.ScheduledChange(d.Real), d.Now)
	}
	if err != nil {
		return nil, err
	}
	return func() error {
		d.brought = brought
		return d.carryOut(made)
	}, nil
}

// in returns the change with what is asked for as it is sold in a currency. What is not sold in it stays as it is, and
// is refused where the change leads to it: who asks for what the subscription has keeps the version of it.
func (c ChangePlan) in(currency money.Currency) ChangePlan {
	if c.Plan != nil {
		to := c.Plan.InIfOffered(currency)
		c.Plan = &to
	}
	if c.AddOns != nil {
		addOns := subscription.InCurrency(*c.AddOns, currency)
		c.AddOns = &addOns
	}
	return c
}

// brings returns the plan and the add-ons that are asked for.
func (c ChangePlan) brings() (brought []plan.Plan) {
	if c.Plan != nil {
		brought = append(brought, *c.Plan)
	}
	if c.AddOns != nil {
		brought = append(brought, subscription.PlansOf(*c.AddOns)...)
	}
	return brought
}

// WithdrawChange takes a scheduled change back. Faults: those of subscribing.WithdrawChange.
type WithdrawChange struct{ ID string }

// Name implements Command. To the workflow it is a change of plan: another date to wait for.
func (WithdrawChange) Name() string { return "change_plan" }

func (c WithdrawChange) judge(d *Decision) (func() error, error) {
	made, err := d.situation().WithdrawChange(c.ID, d.Now)
	return func() error { return d.carryOut(made) }, err
}

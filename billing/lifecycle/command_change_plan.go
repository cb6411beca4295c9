package lifecycle

import (
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// ChangePlan moves the subscription to another plan, another quantity or other add-ons, now, at the period's end or at
// a date. Faults: those of subscribing.ChangePlan and subscribing.ScheduleChange.
type ChangePlan subscribing.Change

// Name returns change_plan.
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

// in returns the change with the prices of a currency. A plan or add-on without such prices stays as it is. It is
// refused where the change leads to it: a request for a present one keeps its version.
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

// brings returns the requested plan and add-ons.
func (c ChangePlan) brings() (brought []plan.Plan) {
	if c.Plan != nil {
		brought = append(brought, *c.Plan)
	}
	if c.AddOns != nil {
		brought = append(brought, subscription.PlansOf(*c.AddOns)...)
	}
	return brought
}

// WithdrawChange withdraws a scheduled change. Faults: those of subscribing.WithdrawChange.
type WithdrawChange struct{ ID string }

// Name returns change_plan: the workflow handles it as a change of plan, with another date to wait for.
func (WithdrawChange) Name() string { return "change_plan" }

func (c WithdrawChange) judge(d *Decision) (func() error, error) {
	made, err := d.situation().WithdrawChange(c.ID, d.Now)
	return func() error { return d.carryOut(made) }, err
}

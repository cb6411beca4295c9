package lifecycle

import (
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/db/catalog"
)

// distributePlans puts plans and add-ons with their prices, as they are sold in its currency, to the subscription that
// they were read for. Faults: plan_missing, where an add-on, or a plan of a change, does not exist any more;
// plan_currency_missing, where one is not sold in the currency, which commands prevent.
func (l *loader) distributePlans() (err error) {
	var all []plan.Plan
	for _, row := range l.plans {
		p := catalog.PlanFromDB(row.Plan)
		for _, price := range l.prices {
			if price.Price.PlanID == row.Plan.ID {
				p.Prices = append(p.Prices, catalog.PriceFromDB(price.Price))
			}
		}
		if p, err = soldIn(p, l.Subscription.Currency); err != nil {
			return err
		}
		if all = append(all, p); p.Ref() == l.Subscription.Plan() {
			l.Plan = p
		}
		if p.Ref() == l.Subscription.PendingPlan() {
			l.PendingPlan = &p
		}
	}
	known := func(r plan.Ref) (plan.Plan, error) { return lifecycle.Known(all, r) }
	if l.AddOns, err = lifecycle.Versions(l.Subscription.AddOnRefs(), known); err != nil {
		return err
	}
	l.Scheduled, err = lifecycle.Versions(l.Subscription.ScheduledRefs(), known)
	return err
}

// soldIn returns a plan that a subscription has as it was sold. To bill its own amounts in another currency would be
// worse than to stop.
func soldIn(p plan.Plan, c money.Currency) (plan.Plan, error) {
	in, err := p.In(c)
	if err != nil {
		return p, fault.New(fault.Internal, "plan_currency_missing",
			"Version %d of the plan %s, which a subscription in %s has or changes to, is not sold in it.", p.Version, p.ID, c)
	}
	return in, nil
}

package db

import (
	"perennial/billing/lifecycle"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// addOnsToDB writes add-ons as two lists; none is two empty ones.
func addOnsToDB(addOns subscription.AddOns) (ids []string, quantities []int64) {
	ids, quantities = make([]string, len(addOns)), make([]int64, len(addOns))
	for i, a := range addOns {
		ids[i], quantities[i] = versionID(a.Ref), a.Quantity
	}
	return ids, quantities
}

// pendingAddOnsToDB writes the add-ons that wait for a period's end; null: nothing waits.
func pendingAddOnsToDB(addOns *subscription.AddOns) (ids []string, quantities []int64) {
	if addOns == nil {
		return nil, nil
	}
	return addOnsToDB(*addOns)
}

// addOnsFromDB reads what addOnsToDB writes.
func addOnsFromDB(ids []string, quantities []int64) (addOns subscription.AddOns) {
	for i, rowID := range ids {
		addOns = append(addOns, subscription.AddOn{Ref: planRef(rowID), Quantity: quantities[i]})
	}
	return addOns
}

// pendingAddOnsFromDB reads what pendingAddOnsToDB writes.
func pendingAddOnsFromDB(ids []string, quantities []int64) *subscription.AddOns {
	if ids == nil {
		return nil
	}
	addOns := addOnsFromDB(ids, quantities)
	return &addOns
}

// distributePlans puts plans and add-ons with their prices to the subscription that they were read for. Fault: plan_missing,
// where it has an add-on, or changes to a plan, that is not there any more.
func (l *loader) distributePlans() (err error) {
	var all []plan.Plan
	for _, row := range l.plans {
		p := planFromDB(row.Plan)
		for _, price := range l.prices {
			if price.Price.PlanID == row.Plan.ID {
				p.Prices = append(p.Prices, priceFromDB(price.Price))
			}
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

package moving

import (
	"cmp"
	"slices"

	"perennial/billing/money"
	"perennial/billing/subscription"
)

// In returns the setting with the plan and the add-ons in a currency; empty: the plan's own. Add-ons that are not sold
// in it stay, and Begin refuses them. Fault: currency_not_offered.
func (in Setting) In(c money.Currency) (Setting, error) {
	c = cmp.Or(c, in.Plan.Currency)
	var err error
	if in.Plan, err = in.Plan.In(c); err != nil {
		return in, err
	}
	if in.Pending != nil {
		next := in.Pending.InIfOffered(c)
		in.Pending = &next
	}
	in.AddOns = subscription.InCurrency(in.AddOns, c)
	if in.PendingAddOns != nil {
		next := subscription.InCurrency(*in.PendingAddOns, c)
		in.PendingAddOns = &next
	}
	planned := slices.Clone(in.Planned)
	for i, p := range planned {
		if p.Plan != nil {
			next := p.Plan.InIfOffered(c)
			planned[i].Plan = &next
		}
		if p.AddOns != nil {
			next := subscription.InCurrency(*p.AddOns, c)
			planned[i].AddOns = &next
		}
	}
	in.Planned = planned
	return in, nil
}

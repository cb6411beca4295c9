package moving

import (
	"cmp"

	"perennial/billing/money"
	"perennial/billing/subscription"
)

// In returns the setting with plans and add-ons as they are sold in a currency; empty: the plan's own. Begin refuses
// those of them that are not, but for the plan. Fault: currency_not_offered.
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
	return in, nil
}

package plan

import (
	"fmt"

	"perennial/billing/fault"
)

// CheckAddOn refuses an add-on with what only the plan of a subscription has: a trial, a dunning policy, a measure of
// proration, a commitment to usage, a minimum, and fees, which are of a subscription's first invoice. Fault:
// add_on_field_unsupported.
func (p Plan) CheckAddOn() error {
	if !p.AddOn {
		return nil
	}
	field := ""
	switch {
	case p.TrialDays != 0:
		field = "trialDays"
	case !p.TrialEnd.Same(TrialEndInvoice):
		field = "trialEndBehavior"
	case p.Dunning != nil:
		field = "dunning"
	case p.ProrationMeasure != "":
		field = "prorationMeasure"
	case p.Metered != nil && p.Metered.Commitment != nil:
		field = "commitment"
	case p.Metered != nil && len(p.Metered.Thresholds) > 0:
		field = "usageThresholds"
	case p.Metered != nil && p.Metered.Minimum != nil:
		field = "minimum"
	}
	for i, price := range p.Prices {
		if price.Once {
			field = fmt.Sprintf("prices[%d].once", i)
		}
	}
	if field == "" {
		return nil
	}
	return fault.InvalidParam(field, "add_on_field_unsupported",
		"An add-on has no `%s` of its own: what the plan of the subscription has counts. Omit the field.", field)
}

package moving

import (
	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/overdue"
)

// DunningOf returns the form of a policy; nil: there is none.
func DunningOf(p *dunning.Policy) *dunning.Dunning {
	if p == nil {
		return nil
	}
	form := dunning.Form(*p)
	return &form
}

// Policies returns the customer's own dunning policy and overdue policy; nil: none. Faults: those of Dunning.Policy,
// overdue_policy_invalid.
func (c Customer) Policies() (unpaid *dunning.Policy, owing *overdue.Policy, err error) {
	if c.Dunning != nil {
		p, wrong := c.Dunning.Policy()
		unpaid, err = &p, wrong
	}
	owing, wrong := c.OverduePolicy.read()
	return unpaid, owing, fault.Joined(err, wrong)
}

package moving

import "perennial/billing/dunning"

// DunningOf returns the form of a policy; nil: there is none.
func DunningOf(p *dunning.Policy) *dunning.Dunning {
	if p == nil {
		return nil
	}
	form := dunning.Form(*p)
	return &form
}

// Policy returns the customer's own policy; nil: none. Faults: those of Dunning.Policy.
func (c Customer) Policy() (*dunning.Policy, error) {
	if c.Dunning == nil {
		return nil, nil
	}
	p, err := c.Dunning.Policy()
	return &p, err
}

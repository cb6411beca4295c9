package customers

import (
	"perennial/api/view"
	nation "perennial/billing/country"
	"perennial/billing/fault"
	"perennial/billing/tax"
)

// placed returns the country and the region of a form, from its address or its own fields; nil: not sent. Faults:
// fields_contradict, those of country.Check and tax.CheckRegion.
func placed(a *view.Address, country, region *string) (inCountry, inRegion *string, err error) {
	if a == nil {
		return country, region, nil
	}
	if country, err = either("country", a.Country, country); err != nil {
		return nil, nil, err
	}
	if region, err = either("region", a.Region, region); err != nil {
		return nil, nil, err
	}
	if err := nation.CheckNew("", a.Country); err != nil {
		return nil, nil, fault.From(err).In("address.country")
	}
	if err := tax.CheckRegion(a.Region); err != nil {
		return nil, nil, fault.From(err).In("address.region")
	}
	return country, region, nil
}

// either returns the text of a field from the address or the form. Fault: fields_contradict.
func either(name, within string, beside *string) (*string, error) {
	switch {
	case within == "":
		return beside, nil
	case beside != nil && *beside != within:
		return nil, fault.InvalidParam("address."+name, "fields_contradict",
			"`%s` and `address.%s` are the same field. Send one of them, or the same text in both.", name, name)
	}
	return &within, nil
}

// sent returns nil for an omitted text.
func sent(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

package pawapay

import (
	"perennial/billing/money"
	"perennial/providers"
)

// small are the currencies whose unit is worth less than a US cent: operators take hundreds of them at least.
var small = map[money.Currency]bool{
	"CDF": true, "MWK": true, "NGN": true, "RWF": true, "TZS": true, "UGX": true, "XAF": true, "XOF": true,
}

// Limits returns the limits of charges in a currency at pawaPay, in ISO minor units, for any operator: whole units
// where any operator of the currency takes no decimals. The minimums are chosen to be above those of the operators,
// which differ by account and are only in its active configuration (docs/providers.md).
func Limits(c money.Currency) providers.Limits {
	coarsest, known := 0, false
	for _, o := range operators {
		decimals, ok := o.decimals[c]
		if !ok {
			continue
		}
		if !known || decimals < coarsest {
			coarsest = decimals
		}
		known = true
	}
	if !known {
		return providers.Limits{Unchargeable: true}
	}
	l := providers.Limits{Granularity: 1}
	for n := c.Decimals(); n > coarsest; n-- {
		l.Granularity *= 10
	}
	l.Minimum = 1
	for range c.Decimals() {
		l.Minimum *= 10
	}
	if small[c] {
		l.Minimum *= 100
	}
	return l
}

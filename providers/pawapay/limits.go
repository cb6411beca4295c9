package pawapay

import (
	"perennial/billing/money"
	"perennial/providers"
)

// Limits returns which charges in a currency pawaPay takes, in ISO minor units, whichever the operator is: whole units
// where any operator of the currency takes no decimals. Minimums are the operators' and differ by account, so an amount
// below one is refused when it is charged.
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
	l.Minimum = l.Granularity
	return l
}

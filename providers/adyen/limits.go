package adyen

import (
	"perennial/billing/money"
	"perennial/providers"
)

// Limits returns the limits of charges in a currency at Adyen, in ISO minor units. Adyen documents no minimum: the
// acquirer declines smaller amounts.
func Limits(c money.Currency) providers.Limits {
	wire, ok := wireDecimals(c)
	if !ok {
		return providers.Limits{Unchargeable: true}
	}
	l := providers.Limits{Granularity: 1}
	for n := c.Decimals(); n > wire; n-- { // CVE, IDR: ISO counts hundredths, Adyen whole units
		l.Granularity *= 10
	}
	l.Minimum = l.Granularity
	return l
}

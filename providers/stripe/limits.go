package stripe

import (
	"perennial/billing/money"
	"perennial/providers"
)

// minimums are the smallest charges that Stripe documents (docs.stripe.com/currencies, "Minimum and maximum charge
// amounts"), in ISO minor units. In other currencies the minimum is that of the account's settlement currency after
// conversion, which only the account knows: a charge below it is declined.
var minimums = map[money.Currency]money.Minor{
	"AED": 200, "AUD": 50, "BRL": 50, "CAD": 50, "CHF": 50, "CZK": 1500, "DKK": 250, "EUR": 50, "GBP": 30, "HKD": 400,
	"HUF": 17500, "INR": 50, "JPY": 50, "MXN": 1000, "MYR": 200, "NOK": 300, "NZD": 50, "PLN": 200, "RON": 200, "SEK": 300,
	"SGD": 50, "THB": 1000, "USD": 50,
}

// Limits returns the limits of charges in a currency at Stripe, in ISO minor units. They are those of every account.
func Limits(c money.Currency) providers.Limits {
	wire, ok := wireDecimals(c)
	if !ok {
		return providers.Limits{Unchargeable: true}
	}
	l := providers.Limits{Minimum: minimums[c], Granularity: 1}
	for n := c.Decimals(); n > wire; n-- { // MGA: Stripe counts whole ariary, ISO hundredths
		l.Granularity *= 10
	}
	if threeDecimal[c] {
		l.Granularity = 10
	}
	l.Minimum = max(l.Minimum, l.Granularity)
	return l
}

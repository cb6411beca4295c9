package stripe

import (
	"math"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// zeroDecimal are the currencies Stripe counts in whole units. MGA is among them although ISO gives it two decimals.
var zeroDecimal = set("BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF")

// threeDecimal are counted in thousandths; the last digit must be 0.
var threeDecimal = set("BHD JOD KWD OMR TND")

func set(codes string) map[money.Currency]bool {
	m := map[money.Currency]bool{}
	for _, c := range strings.Fields(codes) {
		m[money.Currency(c)] = true
	}
	return m
}

// timesHundred has no decimals in ISO, but Stripe keeps counting it in hundredths; the last two digits are 00.
var timesHundred = set("ISK UGX")

// wireDecimals returns the number of decimals of Stripe's integer amounts of a currency. For the few ISO currencies
// whose scale at Stripe is not documented (LYD, CLF, …) ok is false: a guess could be wrong by a factor of ten.
func wireDecimals(c money.Currency) (n int, ok bool) {
	switch {
	case zeroDecimal[c]:
		return 0, true
	case threeDecimal[c]:
		return 3, true
	case timesHundred[c], len(c) == 3 && c.Decimals() == 2:
		return 2, true
	}
	return 0, false
}

// toWire converts ISO minor units to Stripe's. It never rounds: an amount that Stripe cannot express is the caller's
// to change, because a cent lost here is a cent that no invoice explains.
func toWire(amount money.Minor, c money.Currency) (int64, error) {
	if amount <= 0 {
		return 0, fault.InvalidParam("amount", "amount_not_positive", "The amount must be more than zero.")
	}
	decimals, ok := wireDecimals(c)
	if !ok {
		return 0, fault.InvalidParam("currency", "currency_unsupported",
			"Stripe does not charge in %q. Use another currency or provider.", string(c))
	}
	wire, ok := rescale(int64(amount), c.Decimals(), decimals)
	if !ok || (threeDecimal[c] && wire%10 != 0) {
		return 0, fault.InvalidParam("amount", "amount_not_representable",
			"Stripe cannot express %d minor units of %s. Use an amount with fewer decimals.", amount, c)
	}
	return wire, nil
}

// fromWire converts what Stripe reports into ISO minor units.
func fromWire(wire int64, code string) (money.Minor, money.Currency, error) {
	c := money.Currency(strings.ToUpper(code))
	decimals, ok := wireDecimals(c)
	if !ok {
		return 0, "", fault.New(fault.Internal, "provider_amount_unreadable",
			"Stripe reported the unknown currency %q.", code)
	}
	n, ok := rescale(wire, decimals, c.Decimals())
	if !ok {
		return 0, "", fault.New(fault.Internal, "provider_amount_unreadable",
			"Stripe reported the amount %[2]d, which %[1]s cannot express.", c, wire)
	}
	return money.Minor(n), c, nil
}

// rescale changes the number of decimals exactly; ok is false if digits would be lost or the number overflows.
func rescale(n int64, from, to int) (scaled int64, ok bool) {
	for ; from > to; from-- {
		if n%10 != 0 {
			return 0, false
		}
		n /= 10
	}
	for ; from < to; from++ {
		if n > math.MaxInt64/10 || n < math.MinInt64/10 {
			return 0, false
		}
		n *= 10
	}
	return n, true
}

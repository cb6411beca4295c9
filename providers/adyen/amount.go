package adyen

import (
	"math"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// differs has the decimals of Adyen's integer amounts where they differ from ISO 4217. Adyen's table of currencies
// names CLP, CVE and ISK; IDR is in Adyen's code only. Its web library counts ISK without decimals, which the table
// contradicts: a sandbox account has to settle that.
var differs = map[money.Currency]int{"CLP": 2, "CVE": 0, "IDR": 0, "ISK": 2}

// asISO are currencies without decimals, or with three, that Adyen counts as ISO does. A currency of such a kind that
// is missing here (BIF, CLF, UYW) is refused: a guess could be wrong by a factor of a thousand.
var asISO = set("DJF GNF JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF BHD IQD JOD KWD LYD OMR TND")

func set(codes string) map[money.Currency]bool {
	m := map[money.Currency]bool{}
	for _, c := range strings.Fields(codes) {
		m[money.Currency(c)] = true
	}
	return m
}

func wireDecimals(c money.Currency) (n int, ok bool) {
	if n, ok := differs[c]; ok {
		return n, true
	}
	if asISO[c] || (len(c) == 3 && c.Decimals() == 2) {
		return c.Decimals(), true
	}
	return 0, false
}

// toWire converts ISO minor units to Adyen's. It never rounds: a cent lost here is a cent that no invoice explains.
func toWire(minor money.Minor, c money.Currency) (amount, error) {
	if minor <= 0 {
		return amount{}, fault.InvalidParam("amount", "amount_not_positive", "The amount must be more than zero.")
	}
	decimals, ok := wireDecimals(c)
	if !ok {
		return amount{}, fault.InvalidParam("currency", "currency_unsupported",
			"Adyen does not charge in %q. Use another currency or provider.", string(c))
	}
	value, ok := rescale(int64(minor), c.Decimals(), decimals)
	if !ok {
		return amount{}, fault.InvalidParam("amount", "amount_not_representable",
			"Adyen cannot express %d minor units of %s. Use an amount with fewer decimals.", minor, c)
	}
	return amount{Currency: string(c), Value: value}, nil
}

// fromWire converts what Adyen reports into ISO minor units.
func fromWire(a amount) (money.Minor, money.Currency, error) {
	c := money.Currency(a.Currency)
	decimals, ok := wireDecimals(c)
	if !ok {
		return 0, "", fault.New(fault.Internal, "provider_amount_unreadable",
			"Adyen reported the unknown currency %.10q.", a.Currency)
	}
	n, ok := rescale(a.Value, decimals, c.Decimals())
	if !ok {
		return 0, "", fault.New(fault.Internal, "provider_amount_unreadable",
			"Adyen reported the amount %d, which %s cannot express.", a.Value, c)
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

package pawapay

import (
	"strconv"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// toWire writes ISO minor units as pawaPay's decimal string, with at most the decimals that the operator takes and
// without zeros at the end. It never rounds: an amount that the operator cannot take is the caller's to change, because
// a cent lost here is a cent that no invoice explains.
func toWire(amount money.Minor, c money.Currency, decimals int, operator string) (string, error) {
	if amount <= 0 {
		return "", fault.InvalidParam("amount", "amount_not_positive", "The amount must be more than zero.")
	}
	whole, fraction, _ := strings.Cut(money.FormatUnits(amount, c), ".")
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > decimals {
		return "", fault.InvalidParam("amount", "amount_not_representable",
			"%s takes amounts in %s with %d decimals, not %s. Use an amount with fewer decimals.",
			operator, c, decimals, money.Format(amount, c))
	}
	if fraction == "" {
		return whole, nil
	}
	return whole + "." + fraction, nil
}

// fromWire converts what pawaPay reports into ISO minor units, exactly. Both texts empty: it reports none.
func fromWire(amount, code string) (money.Minor, money.Currency, error) {
	if amount == "" && code == "" {
		return 0, "", nil
	}
	c, err := money.ParseCurrency(code)
	if err != nil {
		return 0, "", unreadable(amount, code)
	}
	whole, fraction, _ := strings.Cut(amount, ".")
	fraction = strings.TrimRight(fraction, "0")
	if missing := c.Decimals() - len(fraction); missing >= 0 {
		fraction += strings.Repeat("0", missing)
	} else {
		return 0, "", unreadable(amount, code)
	}
	digits := whole + fraction
	if whole == "" || strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) {
		return 0, "", unreadable(amount, code)
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, "", unreadable(amount, code)
	}
	return money.Minor(n), c, nil
}

func unreadable(amount, code string) error {
	return fault.New(fault.Internal, "provider_amount_unreadable",
		"pawaPay reported the amount %.30q %.5q, which cannot be expressed.", amount, code)
}

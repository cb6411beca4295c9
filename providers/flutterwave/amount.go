package flutterwave

import (
	"encoding/json"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// wireDecimals is the documented number of decimals of Flutterwave's amounts: the smallest is 0.01.
const wireDecimals = 2

// maxAmount bounds the digits that we are willing to read as an amount.
const maxAmount = 40

// toWire converts ISO minor units to a decimal number in major units. It never rounds: an amount that Flutterwave
// cannot express is the caller's to change, because a cent lost here is a cent that no invoice explains.
func toWire(amount money.Minor, c money.Currency) (json.Number, error) {
	if amount <= 0 {
		return "", fault.InvalidParam("amount", "amount_not_positive", "The amount must be greater than 0.")
	}
	limits := Limits(c)
	if limits.Unchargeable {
		return "", fault.InvalidParam("currency", "currency_unsupported",
			"Flutterwave does not charge in %q. Use another currency or provider.", string(c))
	}
	if amount%limits.Granularity != 0 {
		return "", fault.InvalidParam("amount", "amount_not_representable",
			"Flutterwave cannot express %d minor units of %s. Use an amount with fewer decimals.", amount, c)
	}
	n := money.FormatUnits(amount, c)
	if strings.Contains(n, ".") {
		n = strings.TrimRight(strings.TrimRight(n, "0"), ".")
	}
	return json.Number(n), nil
}

// fromWire converts what Flutterwave reports into ISO minor units, exactly.
func fromWire(n json.Number, code string) (money.Minor, money.Currency, error) {
	c, err := money.ParseCurrency(strings.ToUpper(code))
	if err != nil {
		return 0, "", fault.New(fault.Internal, "provider_amount_unreadable",
			"Flutterwave reported the unknown currency %.10q.", code)
	}
	unreadable := fault.New(fault.Internal, "provider_amount_unreadable",
		"Flutterwave reported the amount %.40q, which %s cannot express.", string(n), c)
	if len(n) > maxAmount {
		return 0, "", unreadable
	}
	d, _, err := apd.NewFromString(string(n))
	if err != nil {
		return 0, "", unreadable
	}
	minor, err := money.RoundDecimal(d, c)
	if err != nil || minor < 0 || apd.New(int64(minor), -int32(c.Decimals())).Cmp(d) != 0 {
		return 0, "", unreadable
	}
	return minor, c, nil
}

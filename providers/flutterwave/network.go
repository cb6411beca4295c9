package flutterwave

import (
	"slices"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// mobileMoney begins the type of every mobile money method; the operator follows.
const mobileMoney = "mobile_money_"

// wallets are the countries whose mobile money Flutterwave names in its documents, by calling code, and the currencies
// in which a wallet there is charged.
var wallets = map[string][]money.Currency{
	"221": {"XOF"}, "223": {"XOF"}, "225": {"XOF"}, "226": {"XOF"}, "228": {"XOF"}, "229": {"XOF"}, "233": {"GHS"},
	"234": {"NGN"}, "237": {"XAF"}, "241": {"XAF"}, "242": {"XAF"}, "243": {"CDF", "USD"}, "250": {"RWF"},
	"251": {"ETB"}, "254": {"KES"}, "255": {"TZS"}, "256": {"UGX"}, "260": {"ZMW"}, "265": {"MWK"},
}

// number is a phone number in the two parts that Flutterwave wants.
type number struct{ country, national string }

// splitNumber takes an international number apart. Calling codes of the countries above have three digits. The fault
// does not repeat the number, which is personal.
func splitNumber(msisdn string) (number, error) {
	digits := strings.TrimPrefix(msisdn, "+")
	if len(digits) < 9 || len(digits) > 15 || strings.Trim(digits, "0123456789") != "" {
		return number{}, fault.InvalidParam("phoneNumber", "payment_method_invalid",
			"The phone number must have 9 to 15 digits in international format, with the calling code of its country.")
	}
	n := number{country: digits[:3], national: digits[3:]}
	if wallets[n.country] == nil {
		return number{}, fault.InvalidParam("phoneNumber", "payment_method_unsupported",
			"Flutterwave reaches no mobile money in the country of this phone number. Use another provider.")
	}
	return n, nil
}

// checkCurrency refuses a currency that no wallet of the number's country holds.
func (n number) checkCurrency(c money.Currency) error {
	if slices.Contains(wallets[n.country], c) {
		return nil
	}
	return fault.InvalidParam("currency", "payment_method_currency_mismatch",
		"Mobile money of the country with calling code %s is charged in %v, not %s.", n.country, wallets[n.country], c)
}

// network is Flutterwave's name of an operator. MTN is the only documented one. A list of names exists
// (GET /mobile-networks), but a request must stay the same when it is repeated, so it cannot depend on a list that may
// change or be away in between.
func network(operator string) string { return strings.ToUpper(operator) }

func validOperator(operator string) bool {
	return operator != "" && len(operator) <= 40 && strings.Trim(operator, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

package flutterwave

import (
	"slices"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// market is a country with mobile money, and the currencies in which a wallet there is charged.
type market struct {
	iso        string // ISO 3166 alpha-2
	currencies []money.Currency
}

// markets are the countries whose mobile money Flutterwave names in its documents, by calling code.
var markets = map[string]market{
	"221": {"SN", []money.Currency{"XOF"}}, "223": {"ML", []money.Currency{"XOF"}}, "225": {"CI", []money.Currency{"XOF"}},
	"226": {"BF", []money.Currency{"XOF"}}, "228": {"TG", []money.Currency{"XOF"}}, "229": {"BJ", []money.Currency{"XOF"}},
	"233": {"GH", []money.Currency{"GHS"}}, "234": {"NG", []money.Currency{"NGN"}}, "237": {"CM", []money.Currency{"XAF"}},
	"241": {"GA", []money.Currency{"XAF"}}, "242": {"CG", []money.Currency{"XAF"}},
	"243": {"CD", []money.Currency{"CDF", "USD"}}, "250": {"RW", []money.Currency{"RWF"}},
	"251": {"ET", []money.Currency{"ETB"}}, "254": {"KE", []money.Currency{"KES"}}, "255": {"TZ", []money.Currency{"TZS"}},
	"256": {"UG", []money.Currency{"UGX"}}, "260": {"ZM", []money.Currency{"ZMW"}}, "265": {"MW", []money.Currency{"MWK"}},
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
	if _, ok := markets[n.country]; !ok {
		return number{}, fault.InvalidParam("phoneNumber", "payment_method_unsupported",
			"Flutterwave reaches no mobile money in the country of this phone number. Use another provider.")
	}
	return n, nil
}

// checkCurrency refuses a currency that no wallet of the number's country holds.
func (n number) checkCurrency(c money.Currency) error {
	if slices.Contains(markets[n.country].currencies, c) {
		return nil
	}
	return fault.InvalidParam("currency", "payment_method_currency_mismatch",
		"Mobile money of the country with calling code %s is charged in %v, not %s.", n.country,
		markets[n.country].currencies, c)
}

// network is Flutterwave's name of an operator. MTN is the only documented one. A list of names exists
// (networks.go), but a request must stay the same when it is repeated, so it cannot depend on a list that may change or
// be away in between.
func network(operator string) string { return strings.ToUpper(operator) }

func validOperator(operator string) bool {
	return operator != "" && len(operator) <= 40 && strings.Trim(operator, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

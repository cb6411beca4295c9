package pawapay

import (
	"strings"

	"perennial/billing/fault"
	"perennial/providers"
)

// wallet is a payment method that pawaPay knows.
type wallet struct {
	operator
	number string // the telephone number, digits only, with the calling code
}

// phoneParam names the telephone number in faults.
const phoneParam = "phoneNumber"

// walletOf reads a payment method. Its faults are about the method, never quote the telephone number, and say what to
// send instead.
func walletOf(m providers.Method) (wallet, error) {
	name, ok := strings.CutPrefix(m.Type, providers.MobileMoney)
	if !ok {
		return wallet{}, fault.InvalidParam("paymentMethod", "payment_method_unsupported",
			"pawaPay charges mobile money only. Use a method such as %smtn, or another provider.", providers.MobileMoney)
	}
	if m.PhoneNumber == "" {
		return wallet{}, fault.InvalidParam(phoneParam, "payment_method_missing",
			"A mobile money charge needs the telephone number of the wallet.")
	}
	number, ok := digitsOf(m.PhoneNumber)
	if !ok {
		return wallet{}, fault.InvalidParam(phoneParam, "payment_method_phone_invalid",
			"The telephone number is not in international format. Send it with its calling code, such as +250….")
	}
	o, ok := operatorOf(strings.ToLower(name), number)
	if ok {
		return wallet{operator: o, number: number}, nil
	}
	known := operatorsIn(number)
	if len(known) == 0 {
		return wallet{}, fault.InvalidParam(phoneParam, "payment_method_unsupported",
			"pawaPay reaches no operator in the country of this telephone number. Use another provider.")
	}
	return wallet{}, fault.InvalidParam("paymentMethod", "payment_method_unsupported",
		"pawaPay does not reach this operator in the country of the telephone number. Use one of: %s.",
		strings.Join(known, ", "))
}

// digitsOf normalises an international number: the calling code first, no plus sign, no separators. E.164 allows
// fifteen digits.
func digitsOf(phone string) (string, bool) {
	phone = strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "", "\u00a0", "").Replace(phone)
	phone, plus := strings.CutPrefix(phone, "+")
	if !plus {
		phone = strings.TrimPrefix(phone, "00")
	}
	if len(phone) < 8 || len(phone) > 15 || phone[0] == '0' ||
		strings.ContainsFunc(phone, func(r rune) bool { return r < '0' || r > '9' }) {
		return "", false
	}
	return phone, true
}

// renewable refuses operators whose payers must act before or apart from the request: the payer is not present when a
// renewal is due.
func renewable(code string, auth authType) error {
	switch auth {
	case preAuth:
		return fault.InvalidParam("paymentMethod", "payment_method_cannot_renew",
			"%s takes a payment only with a code that the payer requests first, so it cannot renew a subscription. "+
				"Ask for a wallet of another operator.", code)
	case redirectAuth:
		return fault.InvalidParam("paymentMethod", "payment_method_cannot_renew",
			"%s takes a payment only while the payer follows a link, so it cannot renew a subscription. "+
				"Ask for a wallet of another operator.", code)
	default:
		return nil
	}
}

package pawapay

import (
	"strings"

	"perennial/billing/fault"
	"perennial/providers"
)

// methodPrefix begins the customer's paymentMethod; the operator's name follows.
const methodPrefix = "mobile_money_"

// wallet is a payment method that pawaPay knows.
type wallet struct {
	operator
	number string // the telephone number, digits only, with the calling code
}

// walletOf reads a payment method. Its faults are about the method, never quote the telephone number, and say what to
// send instead.
func walletOf(m providers.Method) (wallet, error) {
	name, ok := strings.CutPrefix(m.Type, methodPrefix)
	if !ok {
		return wallet{}, fault.InvalidParam("paymentMethod", "payment_method_unsupported",
			"pawaPay charges mobile money only. Use a method such as %smtn, or another provider.", methodPrefix)
	}
	if m.PhoneNumber == "" {
		return wallet{}, fault.InvalidParam("phoneNumber", "payment_method_missing",
			"A mobile money charge needs the telephone number of the wallet.")
	}
	number, ok := digitsOf(m.PhoneNumber)
	if !ok {
		return wallet{}, fault.InvalidParam("phoneNumber", "payment_method_phone_invalid",
			"The telephone number is not in international format. Send it with its calling code, such as +250….")
	}
	o, ok := operatorOf(strings.ToLower(name), number)
	if ok {
		return wallet{operator: o, number: number}, nil
	}
	known := operatorsIn(number)
	if len(known) == 0 {
		return wallet{}, fault.InvalidParam("phoneNumber", "payment_method_unsupported",
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

// Supports returns what pawaPay does with a payment method, as far as the table of operators tells: the payer confirms
// a prompt, unless the operator wants the payer to begin.
func Supports(m providers.Method) providers.MethodSupport {
	w, err := walletOf(m)
	if err != nil {
		return providers.MethodSupport{Renewal: providers.RenewalImpossible, Reason: fault.From(err).Detail}
	}
	if err := renewable(w.code, w.auth); err != nil {
		return providers.MethodSupport{
			Accepted: true, Renewal: providers.RenewalImpossible, Reason: fault.From(err).Detail,
		}
	}
	return providers.MethodSupport{Accepted: true, Renewal: providers.RenewalPrompt}
}

// renewable refuses operators whose payers must act before or beside the request: nobody is there when a renewal is
// due.
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

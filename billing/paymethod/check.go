package paymethod

import (
	"slices"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// The fields of a customer that name the method.
const (
	methodParam   = "paymentMethod"
	phoneParam    = "paymentDetails.phoneNumber"
	providerParam = "paymentDetails.provider"
)

// Accepted reports whether an account takes the method.
func Accepted(found []Support) bool {
	return slices.ContainsFunc(found, func(s Support) bool { return s.Accepted })
}

// Check refuses a payment method that none of the accounts takes. Where there is no account, nothing can be said.
// Fault: payment_method_unsupported.
func Check(method string, found []Support) error {
	if len(found) == 0 || Accepted(found) {
		return nil
	}
	return unsupported(method, found)
}

// NotConfigured refuses details for a provider that takes no payments of this environment: its tokens mean nothing to
// the others.
func NotConfigured(named string, configured []string) error {
	if len(configured) == 0 {
		return fault.InvalidParam(providerParam, "provider_not_configured",
			"The environment has no payment provider. Configure %s first, or omit the field.", named)
	}
	slices.Sort(configured)
	return fault.InvalidParam(providerParam, "provider_not_configured",
		"The environment has no active account at this provider. Send one of %s with its details, or omit the field.",
		strings.Join(slices.Compact(configured), ", "))
}

// unsupported returns the fault of a payment method that no account takes. The reason of an account that could take
// another operator comes before one about the telephone number, and that before all others.
func unsupported(method string, found []Support) error {
	var known, aboutPhone, others []string
	for _, s := range found {
		known = append(known, s.Known...)
		if s.Field == FieldPhone {
			aboutPhone = append(aboutPhone, s.Reason)
		} else {
			others = append(others, s.Reason)
		}
	}
	slices.Sort(known)
	switch known = slices.Compact(known); {
	case len(known) > 0:
		return fault.InvalidParam(methodParam, "payment_method_unsupported",
			"No payment provider of the environment takes %s with this phone number. Send one of: %s.",
			method, strings.Join(known, ", "))
	case len(aboutPhone) > 0:
		return fault.InvalidParam(phoneParam, "payment_method_unsupported", asSaid, reasons(aboutPhone))
	}
	return fault.InvalidParam(methodParam, "payment_method_unsupported", asSaid, reasons(others))
}

// The sentences of accounts, alone or behind ours.
const (
	asSaid            = "%s"
	cannotRenewAsSaid = "The customer's payment method cannot renew a subscription. " + asSaid
)

func reasons(all []string) string { return strings.Join(slices.Compact(all), " ") }

// CheckRenewable refuses a method with which a subscription in a currency could never be collected: because the payer
// would have to begin each payment, or because the method is charged in other currencies. Where there is no account,
// nothing can be said. param is the field of the request that names the method or its customer. Faults:
// payment_method_cannot_renew, payment_method_currency_mismatch, payment_method_unsupported.
func CheckRenewable(method string, found []Support, currency money.Currency, param string) error {
	if len(found) == 0 {
		return nil
	}
	var cannotRenew []string
	var currencies []money.Currency
	for _, support := range found {
		switch {
		case !support.Accepted:
		case support.Renewal == RenewalImpossible:
			cannotRenew = append(cannotRenew, support.Reason)
		case len(support.Currencies) > 0 && !slices.Contains(support.Currencies, currency):
			currencies = append(currencies, support.Currencies...)
		default:
			return nil
		}
	}
	switch {
	case len(currencies) > 0:
		return mismatched(currencies, currency, param)
	case len(cannotRenew) > 0:
		return fault.InvalidParam(param, "payment_method_cannot_renew",
			cannotRenewAsSaid, reasons(cannotRenew))
	}
	return fault.From(unsupported(method, found)).In(param)
}

func mismatched(currencies []money.Currency, wanted money.Currency, param string) error {
	slices.Sort(currencies)
	names := make([]string, 0, len(currencies))
	for _, c := range slices.Compact(currencies) {
		names = append(names, string(c))
	}
	return fault.InvalidParam(param, "payment_method_currency_mismatch",
		"The customer's payment method is charged in %s, not in %s, the currency of the subscription. Choose another "+
			"payment method, or a plan in that currency.", strings.Join(names, " or "), wanted)
}

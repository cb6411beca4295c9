package customers

import (
	"context"
	"slices"
	"strings"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/db"
	"perennial/providers"
	"perennial/service/gateway"
	"perennial/service/usecase"
)

const (
	methodParam   = "paymentMethod"
	phoneParam    = "paymentDetails.phoneNumber"
	providerParam = "paymentDetails.provider"
)

// checkMethodTaken refuses a payment method that no active account of the environment takes. Where there is no account
// yet, nothing can be said. ask lets the accounts be asked what they have activated, which may use the network: not
// inside a transaction. Faults: provider_not_configured, payment_method_unsupported.
func (s *Service) checkMethodTaken(
	ctx context.Context, r db.Reader, environmentID string, c customer.Customer, ask bool,
) error {
	if !c.CanPay() {
		return nil
	}
	found, err := s.supports(ctx, r, environmentID, c, ask)
	if err != nil || len(found) == 0 || slices.ContainsFunc(found, Accepted) {
		return err
	}
	return Unsupported(c.PaymentMethod, found)
}

// Accepted reports whether an account takes the method.
func Accepted(s providers.MethodSupport) bool { return s.Accepted }

// supports returns what the active accounts of the environment do with a customer's payment method: all accounts, or
// those at the provider that the details name. None: the environment has no account. Fault: provider_not_configured.
func (s *Service) supports(
	ctx context.Context, r db.Reader, environmentID string, c customer.Customer, ask bool,
) (found []providers.MethodSupport, err error) {
	configured, err := r.ProviderConfigs(ctx, environmentID)
	if err != nil {
		return nil, err
	}
	return SupportsBy(configured, c, func(config db.ProviderConfig, m providers.Method) (providers.MethodSupport, error) {
		support := gateway.SupportsAnywhere(config.Provider, m)
		if ask && support.Accepted && support.ByAccount {
			if config, err = r.ProviderConfigOf(ctx, environmentID, config.ID); err != nil {
				return support, err
			}
			support = s.gateway.Supports(ctx, config, m)
		}
		return support, nil
	})
}

// SupportsBy is supports of some accounts, each of which is asked in a way of the caller's.
func SupportsBy(
	configured []db.ProviderConfig, c customer.Customer,
	ask func(db.ProviderConfig, providers.Method) (providers.MethodSupport, error),
) (found []providers.MethodSupport, err error) {
	d := c.PaymentDetails
	m := providers.Method{
		Type: c.PaymentMethod, CustomerToken: d.CustomerToken, PaymentMethodToken: d.PaymentMethodToken,
		PhoneNumber: d.PhoneNumber,
	}
	var names []string
	for _, config := range configured {
		if !config.DisabledAt.IsZero() {
			continue
		}
		names = append(names, config.Provider)
		if d.Provider != "" && d.Provider != config.Provider {
			continue
		}
		support, err := ask(config, m)
		if err != nil {
			return nil, err
		}
		found = append(found, support)
	}
	if d.Provider != "" && len(found) == 0 {
		return nil, notConfigured(d.Provider, names)
	}
	return found, nil
}

// notConfigured refuses details for a provider that takes no payments of this environment: its tokens mean nothing to
// the others.
func notConfigured(named string, configured []string) error {
	if len(configured) == 0 {
		return fault.InvalidParam(providerParam, "provider_not_configured",
			"The environment has no payment provider. Configure %s first, or omit the field.", named)
	}
	slices.Sort(configured)
	return fault.InvalidParam(providerParam, "provider_not_configured",
		"The environment has no active account at this provider. Send one of %s with its details, or omit the field.",
		strings.Join(slices.Compact(configured), ", "))
}

// Unsupported says what is wrong with a payment method that no account takes. What an account says that could take
// another operator comes before what one says about the telephone number, and that before all others.
func Unsupported(method string, found []providers.MethodSupport) error {
	var known, aboutPhone, others []string
	for _, s := range found {
		known = append(known, s.Known...)
		if s.Field == providers.FieldPhone {
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
		return fault.InvalidParam(phoneParam, "payment_method_unsupported", "%s", reasons(aboutPhone))
	}
	return fault.InvalidParam(methodParam, "payment_method_unsupported", "%s", reasons(others))
}

func reasons(all []string) string { return strings.Join(slices.Compact(all), " ") }

// CheckRenewable refuses a subscription that could never be collected with the customer's payment method: because the
// Payer would have to begin each payment, or because the method is charged in other currencies. A customer without a
// method may get one later. param is the field of the request that names the method or its customer. Faults:
// payment_method_cannot_renew, payment_method_currency_mismatch, payment_method_unsupported, provider_not_configured.
func (s *Service) CheckRenewable(
	ctx context.Context, by usecase.Caller, c customer.Customer, currency money.Currency, param string,
) error {
	if !c.CanPay() {
		return nil
	}
	found, err := s.supports(ctx, s.Store.Reader, by.EnvironmentID, c, true)
	return Renewable(found, err, c, currency, param)
}

// Renewable is CheckRenewable by what the accounts do with the method, or why that cannot be said.
func Renewable(
	found []providers.MethodSupport, err error, c customer.Customer, currency money.Currency, param string,
) error {
	if f := fault.From(err); f != nil && f.Kind == fault.Invalid { // of the stored details, not of this request
		return f.In(param)
	}
	if err != nil || len(found) == 0 {
		return err
	}
	var cannotRenew []string
	var currencies []money.Currency
	for _, support := range found {
		switch {
		case !support.Accepted:
		case support.Renewal == providers.RenewalImpossible:
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
			"The customer's payment method cannot renew a subscription. %s", reasons(cannotRenew))
	}
	return fault.From(Unsupported(c.PaymentMethod, found)).In(param)
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

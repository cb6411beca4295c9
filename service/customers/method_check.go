package customers

import (
	"context"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/paymethod"
	"perennial/db"
	"perennial/providers"
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// checkMethodTaken refuses a payment method that no active account of the environment takes. It accepts any where there
// is no account yet. With ask it requests the activated methods from the accounts, which may use the network, so not
// inside a transaction. Faults: provider_not_configured, payment_method_unsupported.
func (s *Service) checkMethodTaken(
	ctx context.Context, r db.Reader, environmentID string, c customer.Customer, ask bool,
) error {
	if !c.CanPay() {
		return nil
	}
	found, err := s.supports(ctx, r, environmentID, c, ask)
	if err != nil {
		return err
	}
	return paymethod.Check(c.PaymentMethod, found)
}

// supports returns the support of the environment's active accounts for a customer's payment method: of all accounts,
// or of those at the provider in the details. None: the environment has no account. Fault: provider_not_configured.
func (s *Service) supports(
	ctx context.Context, r db.Reader, environmentID string, c customer.Customer, ask bool,
) (found []paymethod.Support, err error) {
	configured, err := r.Payments.ProviderConfigs(ctx, environmentID)
	if err != nil {
		return nil, err
	}
	return SupportsBy(configured, c, func(config db.ProviderConfig, m providers.Method) (paymethod.Support, error) {
		support := gateway.SupportsAnywhere(config.Provider, m)
		if ask && support.Accepted && support.ByAccount {
			if config, err = r.Payments.ProviderConfigOf(ctx, environmentID, config.ID); err != nil {
				return support, err
			}
			support = s.gateway.Supports(ctx, config, m)
		}
		return support, nil
	})
}

// SupportsBy is supports for given accounts; ask returns the support of one.
func SupportsBy(
	configured []db.ProviderConfig, c customer.Customer,
	ask func(db.ProviderConfig, providers.Method) (paymethod.Support, error),
) (found []paymethod.Support, err error) {
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
		return nil, paymethod.NotConfigured(d.Provider, names)
	}
	return found, nil
}

// CheckRenewable refuses a subscription that the customer's payment method could never pay for: the payer would have to
// begin each payment, or the method is charged in other currencies. A customer without a method may add one later.
// param is the request's field with the method or its customer. Faults: payment_method_cannot_renew,
// payment_method_currency_mismatch, payment_method_unsupported, provider_not_configured.
func (s *Service) CheckRenewable(
	ctx context.Context, by usecase.Caller, c customer.Customer, currency money.Currency, param string,
) error {
	if !c.CanPay() {
		return nil
	}
	found, err := s.supports(ctx, s.Store.Reader, by.EnvironmentID, c, true)
	return Renewable(found, err, c, currency, param)
}

// Renewable is CheckRenewable for given support of the accounts, or the error of reading it. Faults about the stored
// details name param, since the request has no other field for them.
func Renewable(
	found []paymethod.Support, err error, c customer.Customer, currency money.Currency, param string,
) error {
	if f := fault.From(err); f != nil && f.Kind == fault.Invalid {
		return f.In(param)
	}
	if err != nil {
		return err
	}
	return paymethod.CheckRenewable(c.PaymentMethod, found, currency, param)
}

package charging

import (
	"perennial/billing/payment"
	"perennial/billing/paymethod"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/providers"
)

// candidate returns what routing must know of an account, for a payment.
func (a *Payments) candidate(f db.ProviderConfig, t payment.Transaction) routing.Account {
	return routing.Account{
		ID: f.ID, Provider: f.Provider, Primary: f.Primary, Priority: f.Priority, Disabled: !f.DisabledAt.IsZero(),
		Stopped: !f.ChargingPausedAt.IsZero(), Breaker: f.Breaker,
		Limits:  a.Factories.Limits(f.Provider, t.Currency),
		Refuses: t.Method.Refusal(f.Provider, a.supports(f.Provider, t.Method)),
	}
}

// supports returns what accounts at a provider do with a payment method; nil: the provider is not registered, so that
// nothing is known in advance.
func (a *Payments) supports(provider string, m payment.Method) *paymethod.Support {
	factory, err := a.Factories.Factory(provider)
	if err != nil {
		return nil
	}
	support := factory.Supports(methodOf(m))
	return &support
}

func methodOf(m payment.Method) providers.Method {
	return providers.Method{
		Type: m.Type, CustomerToken: m.Details.CustomerToken, PaymentMethodToken: m.Details.PaymentMethodToken,
		PhoneNumber: m.Details.PhoneNumber,
	}
}

// protocol converts the capabilities and configuration of a provider to the protocol that billing/payment decides by.
func (a *Payments) protocol(p providers.Provider) payment.Protocol {
	can := p.Capabilities()
	return payment.Protocol{
		Window: can.ReplayWindow, LookupByKey: can.LookupByKey, LookupByRef: can.LookupByRef, Cancel: can.Cancel,
		AbsenceAfter: can.AbsenceAfter, AbsenceGap: can.AbsenceGap, Checks: can.Checks, Expiry: can.Expiry,
		Completes: can.Completes,
	}.Configured(can.AsksPayer, payment.Configuration{
		Page: a.PublicURL != "", ConfirmWithin: a.ConfirmWithin, AbsenceGap: a.AbsenceGap,
	})
}

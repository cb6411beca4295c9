package charging

import (
	"cmp"
	"time"

	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/providers"
)

// candidate returns what routing must know of an account, for a payment.
func (a *Payments) candidate(f db.ProviderConfig, t payment.Transaction) routing.Account {
	return routing.Account{
		ID: f.ID, Provider: f.Provider, Primary: f.Primary, Priority: f.Priority, Disabled: !f.DisabledAt.IsZero(),
		Stopped: !f.ChargingPausedAt.IsZero(), Breaker: f.Breaker,
		Limits: a.Factories.Limits(f.Provider, t.Currency), Refuses: a.refuses(f.Provider, t.Method),
	}
}

// refuses returns why a provider does not accept a payment method; empty: it does, or that is not known. A saved method
// is of the provider that saved it.
func (a *Payments) refuses(provider string, m payment.Method) string {
	d := m.Details
	if d.PaymentMethodToken != "" && d.Provider != "" && d.Provider != provider {
		return "the payment method was saved at " + d.Provider
	}
	factory, err := a.Factories.Factory(provider)
	if err != nil { // not registered: nothing is known in advance
		return ""
	}
	support := factory.Supports(methodOf(m))
	if support.Accepted {
		return ""
	}
	return support.Reason
}

func methodOf(m payment.Method) providers.Method {
	return providers.Method{
		Type: m.Type, CustomerToken: m.Details.CustomerToken, PaymentMethodToken: m.Details.PaymentMethodToken,
		PhoneNumber: m.Details.PhoneNumber,
	}
}

// protocol returns what the provider of an account allows, in the words of the rules.
func (a *Payments) protocol(p providers.Provider) payment.Protocol {
	can := p.Capabilities()
	var confirm time.Duration
	if can.AsksPayer && a.PublicURL != "" {
		confirm = cmp.Or(a.ConfirmWithin, 24*time.Hour)
	}
	if can.Expiry > 0 {
		confirm = min(confirm, can.Expiry)
	}
	gap := can.AbsenceGap
	if gap > 0 {
		gap = cmp.Or(a.AbsenceGap, gap)
	}
	return payment.Protocol{
		Window: can.ReplayWindow, LookupByKey: can.LookupByKey, LookupByRef: can.LookupByRef, Cancel: can.Cancel,
		AbsenceAfter: can.AbsenceAfter, AbsenceGap: gap, Checks: can.Checks, Expiry: can.Expiry,
		ActionExpiry: confirm, Completes: can.Completes,
	}
}

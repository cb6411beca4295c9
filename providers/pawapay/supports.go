package pawapay

import (
	"context"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/paymethod"
	"perennial/providers"
)

// Supports returns what pawaPay does with a payment method, as far as the table of operators tells: the payer confirms
// a prompt, unless the operator wants the payer to begin.
func Supports(m providers.Method) paymethod.Support { return supports(m, nil) }

// Supports returns the account's support of a method, by its active configuration.
func (p *PawaPay) Supports(ctx context.Context, m providers.Method) paymethod.Support {
	if _, err := walletOf(m); err != nil { // without the network: no account takes it
		return supports(m, nil)
	}
	return supports(m, p.conditions(ctx))
}

// supports reads the configuration of an account; nil: it is not known.
func supports(m providers.Method, known conditions) paymethod.Support {
	w, err := walletOf(m)
	if err != nil {
		f := fault.From(err)
		s := paymethod.Support{Renewal: paymethod.RenewalImpossible, Reason: f.Detail, Field: paymethod.FieldMethod}
		switch number, ok := digitsOf(m.PhoneNumber); {
		case f.Param == phoneParam:
			s.Field = paymethod.FieldPhone
		case ok:
			s.Known = operatorsIn(number)
		}
		return s
	}
	auth, currencies := w.termsIn(known)
	s := paymethod.Support{Accepted: true, Renewal: paymethod.RenewalPrompt, Currencies: currencies, ByAccount: true}
	if known != nil && len(currencies) == 0 {
		return paymethod.Support{
			Renewal: paymethod.RenewalImpossible, ByAccount: true, Field: paymethod.FieldMethod,
			Reason: "This pawaPay account takes no deposits from " + w.code + ". Ask pawaPay to activate them.",
			Known:  known.methodsIn(w.calling),
		}
	}
	if err := renewable(w.code, auth); err != nil {
		s.Renewal, s.Reason = paymethod.RenewalImpossible, fault.From(err).Detail
	}
	return s
}

// termsIn returns how a payer of the operator authorises a deposit, and in which currencies it is made.
func (o operator) termsIn(known conditions) (auth authType, currencies []money.Currency) {
	if auth = o.auth; known == nil {
		for c := range o.decimals {
			currencies = append(currencies, c)
		}
	}
	for at, t := range known {
		if at.operator == o.code {
			auth, currencies = t.auth, append(currencies, at.currency)
		}
	}
	slices.Sort(currencies)
	return auth, currencies
}

// methodsIn lists the payment methods of a country that the account takes.
func (known conditions) methodsIn(calling string) (methods []string) {
	for _, o := range operators {
		if _, currencies := o.termsIn(known); o.calling == calling && len(currencies) > 0 {
			methods = append(methods, providers.MobileMoney+o.names[0])
		}
	}
	return methods
}

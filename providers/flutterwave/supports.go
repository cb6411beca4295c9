package flutterwave

import (
	"context"
	"slices"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/paymethod"
	"perennial/providers"
)

// Supports returns what Flutterwave does with a payment method: a saved card is charged without its owner, mobile money
// asks the owner of the phone.
func (Factory) Supports(method providers.Method) paymethod.Support {
	refused := func(field paymethod.Field, reason string) paymethod.Support {
		return paymethod.Support{Renewal: paymethod.RenewalImpossible, Field: field, Reason: reason}
	}
	operator, isMobileMoney := strings.CutPrefix(method.Type, providers.MobileMoney)
	switch {
	case method.Type == "card" && !ownCard(method.PaymentMethodToken):
		return refused(paymethod.FieldMethod,
			"The saved card belongs to another provider: a card saved at Flutterwave begins with pmd_.")
	case method.Type == "card":
		return paymethod.Support{Accepted: true, Renewal: paymethod.RenewalUnattended}
	case !isMobileMoney || !validOperator(operator):
		return refused(paymethod.FieldMethod, "Flutterwave charges saved cards and mobile money only.")
	}
	s := paymethod.Support{Accepted: true, Renewal: paymethod.RenewalPrompt, ByAccount: true}
	if operator == opensPage {
		s.Renewal, s.Reason = paymethod.RenewalImpossible,
			"Wave takes a payment only while the payer follows a link, so it cannot renew a subscription. "+
				"Ask for a wallet of another operator."
	}
	if method.PhoneNumber == "" {
		return s
	}
	n, err := splitNumber(method.PhoneNumber)
	if err != nil {
		return refused(paymethod.FieldPhone, fault.From(err).Detail)
	}
	s.Currencies = markets[n.country].currencies
	return s
}

// opensPage is the operator whose payers confirm on a page that a link opens.
const opensPage = "wave"

// Supports returns what Factory.Supports does, and compares the operator with Flutterwave's list of the country.
func (f *Flutterwave) Supports(ctx context.Context, method providers.Method) paymethod.Support {
	s := Factory{}.Supports(method)
	operator, isMobileMoney := strings.CutPrefix(method.Type, providers.MobileMoney)
	n, err := splitNumber(method.PhoneNumber)
	if !s.Accepted || !isMobileMoney || err != nil {
		return s
	}
	names := f.networksOf(ctx, markets[n.country].iso)
	if len(names) == 0 || slices.Contains(names, operator) {
		return s
	}
	refused := paymethod.Support{
		Renewal: paymethod.RenewalImpossible, Field: paymethod.FieldMethod, ByAccount: true,
		Reason: "Flutterwave does not reach this operator in the country of the phone number.",
	}
	for _, name := range names {
		refused.Known = append(refused.Known, providers.MobileMoney+name)
	}
	return refused
}

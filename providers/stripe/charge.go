package stripe

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"perennial/billing/fault"
	"perennial/providers"
)

// Charge confirms a payment intent off-session in one call, and where the payer must be there, again on-session: then
// the payer can be asked. Errors: `amount_not_positive`, `amount_not_representable`, `currency_unsupported`,
// `payment_method_unsupported`, `payment_method_missing`, `provider_request_invalid` (all fault.Invalid, nothing was
// sent) and `provider_key_reused` (fault.Conflict).
func (s *Stripe) Charge(ctx context.Context, in providers.ChargeRequest) (providers.Result, error) {
	form, err := chargeForm(in)
	if err != nil {
		return providers.Result{}, err
	}
	x := s.post(ctx, "/v1/payment_intents", form, in.Key)
	if ref := x.wantsPayer(); ref != "" && in.ReturnURL != "" {
		return s.askPayer(ctx, in, ref)
	}
	pi, ok := x.intent()
	if !ok {
		return s.refused(x, moving)
	}
	return s.settled(ctx, x, pi), nil
}

func chargeForm(in providers.ChargeRequest) (url.Values, error) {
	if in.Method.Type != "card" {
		return nil, fault.InvalidParam("paymentMethod", "payment_method_unsupported",
			"Stripe charges only cards, not %q. Use a card or another provider.", in.Method.Type)
	}
	if in.Method.PaymentMethodToken == "" {
		return nil, fault.InvalidParam("paymentMethodToken", "payment_method_missing",
			"A card charge needs the token of a saved payment method (pm_…).")
	}
	if err := checkIdentity(in.TransactionID, in.Key); err != nil {
		return nil, err
	}
	amount, err := toWire(in.Amount, in.Currency)
	if err != nil {
		return nil, err
	}
	form := url.Values{
		"amount":                   {strconv.FormatInt(amount, 10)},
		"currency":                 {strings.ToLower(string(in.Currency))},
		"payment_method":           {in.Method.PaymentMethodToken},
		"payment_method_types[0]":  {"card"},
		"off_session":              {"true"},
		"confirm":                  {"true"},
		"metadata[" + txnKey + "]": {in.TransactionID},
	}
	if in.Method.CustomerToken != "" {
		form.Set("customer", in.Method.CustomerToken)
	}
	if in.Description != "" {
		form.Set("description", in.Description)
	}
	return form, nil
}

// checkIdentity refuses to move money that could not be found or recognised again.
func checkIdentity(transactionID, key string) error {
	if transactionID == "" || len(transactionID) > 500 {
		return fault.New(fault.Invalid, "provider_request_invalid", "The transaction ID must have 1 to 500 characters.")
	}
	if key == "" || len(key) > 255 {
		return fault.New(fault.Invalid, "provider_request_invalid",
			"The idempotency key must have 1 to 255 characters.")
	}
	return nil
}

package flutterwave

import (
	"perennial/billing/fault"
	"perennial/providers"
)

// cardRequest charges a saved card. Recurring charges ask the owner for nothing, and end at once.
type cardRequest struct {
	chargeFields
	CustomerID      string `json:"customer_id"`
	PaymentMethodID string `json:"payment_method_id"`
	Recurring       bool   `json:"recurring"`
}

func cardCharge(in providers.ChargeRequest, common chargeFields) (cardRequest, error) {
	if in.Method.CustomerToken == "" || in.Method.PaymentMethodToken == "" {
		return cardRequest{}, fault.InvalidParam("paymentMethodToken", "payment_method_missing",
			"A card charge needs the tokens of a customer (cus_…) and of a saved payment method (pmd_…).")
	}
	if !ownCard(in.Method.PaymentMethodToken) {
		return cardRequest{}, fault.InvalidParam("paymentMethodToken", "payment_method_unsupported",
			"The saved card belongs to another provider: a card saved at Flutterwave begins with pmd_.")
	}
	return cardRequest{
		chargeFields: common, Recurring: true,
		CustomerID: in.Method.CustomerToken, PaymentMethodID: in.Method.PaymentMethodToken,
	}, nil
}

package adyen

import (
	"context"

	"perennial/billing/fault"
	"perennial/providers"
)

// Charge pays with a stored card in its owner's absence, and where the bank wants the owner, asks again as one who is
// there: then the owner can be sent to a page. Errors: `amount_not_positive`, `amount_not_representable`,
// `currency_unsupported`, `payment_method_unsupported`, `payment_method_missing`, `provider_request_invalid` (all
// fault.Invalid, nothing was sent) and `provider_key_reused` (fault.Conflict).
func (a *Adyen) Charge(ctx context.Context, in providers.ChargeRequest) (providers.Result, error) {
	request, err := a.paymentRequest(in)
	if err != nil {
		return providers.Result{}, err
	}
	x := a.post(ctx, "/payments", request, in.Key)
	p, ok := x.payment()
	if !ok {
		return a.refused(x, true), nil
	}
	if err := sameRequest(request, p); err != nil {
		return providers.Result{}, err
	}
	res := a.paymentResult(x, p)
	if p.wantsPayer() && in.ReturnURL != "" {
		return a.askPayer(ctx, in, request, res)
	}
	return a.settled(ctx, in.TransactionID, in.Key, p, res, in.ReturnURL != ""), nil
}

// settled returns the outcome of a payment's answer, after a partial authorisation is given back. askable: a payer can
// be sent to a page.
func (a *Adyen) settled(
	ctx context.Context, transactionID, key string, p payment, res providers.Result, askable bool,
) providers.Result {
	switch page := p.payersPage(); {
	case p.ResultCode == partiallyAuthorised:
		return a.giveBackPart(ctx, transactionID, key, res)
	case page != "" && askable:
		res.Outcome, res.ConfirmURL, res.FailureCode, res.FailureReason = providers.Pending, page, "", ""
	}
	return res
}

// noReturn is sent where no browser takes part: Adyen requires an address, and `.invalid` never resolves.
const noReturn = "https://return.invalid/"

const (
	minShopper     = 3
	maxShopper     = 256
	maxStoredID    = 64
	maxDescription = 80
)

func (a *Adyen) paymentRequest(in providers.ChargeRequest) (paymentRequest, error) {
	if in.Method.Type != "card" {
		return paymentRequest{}, fault.InvalidParam("paymentMethod", "payment_method_unsupported",
			"Adyen charges only cards, not %q. Use a card or another provider.", in.Method.Type)
	}
	if n := len(in.Method.PaymentMethodToken); n == 0 || n > maxStoredID {
		return paymentRequest{}, fault.InvalidParam("paymentMethodToken", "payment_method_missing",
			"A card charge needs the storedPaymentMethodId of a stored card.")
	}
	if n := len(in.Method.CustomerToken); n < minShopper || n > maxShopper {
		return paymentRequest{}, fault.InvalidParam("customerToken", "payment_method_missing",
			"A card charge needs the shopperReference under which the card was stored, of %d to %d characters.",
			minShopper, maxShopper)
	}
	if err := checkIdentity(in.TransactionID, in.Key); err != nil {
		return paymentRequest{}, err
	}
	wire, err := toWire(in.Amount, in.Currency)
	if err != nil {
		return paymentRequest{}, err
	}
	request := paymentRequest{
		MerchantAccount:          a.merchantAccount,
		Reference:                newReference(in.TransactionID, firstOperation(in.AskedApart), in.Key).String(),
		Amount:                   wire,
		PaymentMethod:            storedCard{Type: "scheme", StoredPaymentMethodID: in.Method.PaymentMethodToken},
		ShopperReference:         in.Method.CustomerToken,
		ShopperInteraction:       "ContAuth",
		RecurringProcessingModel: "Subscription",
		ReturnURL:                noReturn,
	}
	if in.ReturnURL != "" {
		request.ReturnURL = in.ReturnURL
	}
	if in.Description != "" {
		request.Metadata = map[string]string{"description": truncated(in.Description, maxDescription)}
	}
	return request, nil
}

// firstOperation returns the operation in the reference of a charge's first payment.
func firstOperation(askedApart bool) operation {
	if askedApart {
		return opUnattended
	}
	return opCharge
}

func truncated(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n])
	}
	return s
}

// sameRequest compares the answer with the question: Adyen may answer a key that was used before with its first
// result, whatever is asked under it now.
func sameRequest(request paymentRequest, p payment) error {
	other := p.MerchantReference != "" && p.MerchantReference != request.Reference
	if p.Amount != nil && p.ResultCode == authorised {
		other = other || *p.Amount != request.Amount
	}
	if other {
		return keyReused()
	}
	return nil
}

// keyReused is a bug of ours and must reach a person: the money of the key's first use may have moved, so it is not a
// failure of the payment either.
func keyReused() error {
	return fault.New(fault.Conflict, "provider_key_reused",
		"Adyen answered with the result of another request under the same idempotency key. "+
			"Find its first use in the Customer Area before any other action.")
}

package adyen

import (
	"context"

	"perennial/providers"
)

// redirectResult is the name of what Adyen appends to the returnUrl, and of the detail that takes it.
const redirectResult = "redirectResult"

// CompleteCharge submits what Adyen appended to the returnUrl (`POST /payments/details`), and with it has the payment
// authorised. A repeat with the same key gets the first answer. Error: `provider_request_invalid` (fault.Invalid).
func (a *Adyen) CompleteCharge(ctx context.Context, in providers.CompleteRequest) (providers.Result, error) {
	if err := checkIdentity(in.TransactionID, in.Key); err != nil {
		return providers.Result{}, err
	}
	brought := in.Brought.Get(redirectResult)
	request := detailsRequest{Details: map[string]string{redirectResult: brought}}
	x := a.post(ctx, "/payments/details", request, derivedKey("result "+brought, in.Key))
	p, ok := x.payment()
	if !ok {
		return a.uncompleted(x), nil
	}
	return a.completed(ctx, in, x, p), nil
}

// uncompleted returns what an exchange without a payment proves: Adyen refuses the payer's values, or nothing. Adyen
// also refuses values that it has accepted before: the rules know what the refusal of a repeat proves.
func (a *Adyen) uncompleted(x exchange) providers.Result {
	res := a.refused(x, true)
	switch res.Outcome {
	case providers.Failed, providers.Declined:
		res.Outcome, res.FailureCode = providers.NotSent, ""
	case providers.NotSent:
		res.Outcome = providers.Unknown // the same may have arrived before
	default: // unknown
	}
	return res
}

// completed returns what an answer proves about the payment. The payer could have brought the result of another one, so
// an answer counts only where it names ours.
func (a *Adyen) completed(ctx context.Context, in providers.CompleteRequest, x exchange, p payment) providers.Result {
	ours := p.MerchantReference == newReference(in.TransactionID, opCharge, in.Key).String() ||
		p.MerchantReference == newReference(in.TransactionID, opUnattended, in.Key).String() // which had a page at once
	switch {
	case p.MerchantReference != "" && !ours:
		return providers.Result{
			Outcome: providers.NotSent, HTTPStatus: x.status,
			FailureReason: "The payer came back with the result of another payment.",
		}
	case p.MerchantReference == "" && (p.PSPReference == "" || p.PSPReference != in.Ref):
		return providers.Result{ // the webhook has our reference
			Outcome: providers.Pending, HTTPStatus: x.status, Response: a.redact(x), RetryAfter: x.retryAfter,
		}
	}
	res := a.settled(ctx, in.TransactionID, in.Key, p, a.paymentResult(x, p), true)
	if res.Outcome == providers.Canceled { // by the payer, which is a refusal like any other
		res.Outcome, res.FailureCode = providers.Declined, providers.DeclinedCode
	}
	return res
}

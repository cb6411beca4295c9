package flutterwave

import "perennial/providers"

const (
	mustAuthenticate = "the customer must authenticate this payment, which cannot happen while they are away"
	mustConfirm      = "the operator asks the customer to confirm on a web page, which cannot happen while they are away"
)

// chargeResult turns a charge into an outcome. A status that is not known is Pending, since it is certainly not final
// to our knowledge. Flutterwave gives cards and mobile money the same word for a refusal and for a late failure: a card
// ends at once, so it was declined; a prompt ends later, so it failed. A look-up then says the same as the charge did.
func (f *Flutterwave) chargeResult(x exchange, c *charge) providers.Result {
	res := providers.Result{
		Ref: c.ID, HTTPStatus: x.status, Response: f.redact(x), RetryAfter: x.retryAfter,
	}
	amount, currency, err := fromWire(c.Amount, c.Currency)
	if err != nil {
		// A person must look, because the comparison with what we asked for cannot be made.
		res.Outcome, res.FailureReason = providers.Unknown, err.Error()
		return res
	}
	res.Amount, res.Currency = amount, currency
	switch c.Status {
	case "succeeded":
		res.Outcome = providers.Succeeded
	case "voided":
		res.Outcome = providers.Canceled
	case "failed":
		res.Outcome = providers.Declined
		if c.isMobileMoney() {
			res.Outcome = providers.Failed
		}
		res.FailureCode, res.FailureReason = failureCode(c.ProcessorResponse), declineReason(c.ProcessorResponse)
	default:
		res = c.waiting(res)
	}
	return res
}

// waiting returns what a charge that is not final waits for.
func (c *charge) waiting(res providers.Result) providers.Result {
	switch c.NextAction.Type {
	case "", "payment_instruction":
		res.Outcome = providers.Pending
		return res
	case "redirect_url":
		if c.RedirectURL != "" { // we named a page to return to, so the payer is present
			res.Outcome, res.ConfirmURL = providers.Pending, c.NextAction.RedirectURL.URL
			return res
		}
		if c.isMobileMoney() {
			res.Outcome, res.FailureCode, res.FailureReason = providers.Declined, providers.InvalidAccount, mustConfirm
			return res
		}
	case "requires_pin", "requires_otp", "requires_additional_fields":
	default: // a step that we do not know
		res.Outcome = providers.Pending
		return res
	}
	res.Outcome, res.FailureCode, res.FailureReason = providers.Declined, providers.DeclinedCode, mustAuthenticate
	return res
}

func (c *charge) isMobileMoney() bool {
	return c.Method.Type == "mobile_money" || c.MethodDetails.Type == "mobile_money"
}

package stripe

import (
	"perennial/providers"
)

const (
	mustAuthenticate = "the customer must authenticate this payment, which cannot happen while they are away"
	abandoned        = "abandoned" // the cancellation_reason of intents we gave up for want of authentication
)

// intentResult turns a payment intent into an outcome. The status strings are Stripe's whole list; one that is not on
// it is Pending, since it is certainly not final to our knowledge.
func (s *Stripe) intentResult(x exchange, pi *intent) providers.Result {
	res := s.describe(providers.Result{HTTPStatus: x.status, Response: s.redact(x), RetryAfter: x.retryAfter}, pi)
	if res.Outcome == providers.Unknown {
		return res
	}
	switch pi.Status {
	case "succeeded":
		res.Outcome = providers.Succeeded
	case "canceled":
		res.Outcome = providers.Canceled
		if pi.CancellationReason == abandoned {
			// Our own clean-up below: the attempt was declined before, and stays so.
			res.Outcome, res.FailureCode, res.FailureReason = providers.Declined, providers.DeclinedCode, mustAuthenticate
		}
	case "requires_payment_method":
		res.Outcome = providers.Declined
		res.FailureCode, res.FailureReason = failureCode(pi.LastPaymentError), s.scrub(reason(pi.LastPaymentError))
	case "requires_action", "requires_confirmation":
		res.Outcome, res.FailureCode, res.FailureReason = providers.Declined, providers.DeclinedCode, mustAuthenticate
	default: // processing, requires_capture
		res.Outcome = providers.Pending
	}
	return res
}

// describe fills in what the intent says of itself. An amount that cannot be expressed in our minor units makes the
// outcome Unknown: a person must look, because the comparison with what we asked for cannot be made.
func (s *Stripe) describe(res providers.Result, pi *intent) providers.Result {
	res.Ref = pi.ID
	wire := pi.Amount
	if pi.Status == "succeeded" && pi.AmountReceived > 0 {
		wire = pi.AmountReceived // what really moved
	}
	amount, currency, err := fromWire(wire, pi.Currency)
	if err != nil {
		res.Outcome, res.FailureReason = providers.Unknown, err.Error()
		return res
	}
	res.Amount, res.Currency = amount, currency
	return res
}

// needsCleanUp reports whether an intent waits for a customer who is away. Left alone it could still capture later.
func (pi *intent) needsCleanUp() bool {
	return pi.Status == "requires_action" || pi.Status == "requires_confirmation"
}

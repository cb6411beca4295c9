package stripe

import (
	"context"

	"perennial/providers"
)

const (
	mustAuthenticate = "the customer must authenticate this payment, which cannot happen while they are away"
	abandoned        = "abandoned" // the cancellation_reason of intents we gave up for want of authentication
)

// settled returns the proof of an intent, after canceling it if it could otherwise still capture.
func (s *Stripe) settled(ctx context.Context, x exchange, pi *intent) providers.Result {
	if pi.needsCleanUp() {
		s.abandon(ctx, pi.ID)
	}
	return s.intentResult(x, pi)
}

// intentResult turns a payment intent into an outcome. The statuses are Stripe's whole list; an unknown one is Pending,
// since it is not known to be final.
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
		if page := pi.payersPage(); page != "" {
			res.Outcome, res.ConfirmURL = providers.Pending, page
			return res
		}
		res.Outcome, res.FailureCode, res.FailureReason = providers.Declined, providers.DeclinedCode, mustAuthenticate
	default: // processing, requires_capture
		res.Outcome = providers.Pending
	}
	return res
}

// describe fills in the intent's own facts. An amount that cannot be expressed in our minor units makes the outcome
// Unknown: the payment needs review, because it cannot be compared with the request.
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

// payersPage returns the page where the payer can confirm the intent; empty: there is none.
func (pi *intent) payersPage() string {
	if pi.Status != "requires_action" {
		return ""
	}
	return pi.NextAction.RedirectToURL.URL
}

// needsCleanUp reports whether an intent waits for a customer who is away, or was declined because the customer must
// authenticate. If it is not canceled it could still capture later: a confirmation of askPayer may be on its way.
func (pi *intent) needsCleanUp() bool {
	switch pi.Status {
	case "requires_action", "requires_confirmation":
		return pi.payersPage() == ""
	case "requires_payment_method":
		return pi.LastPaymentError.wantsPayer()
	}
	return false
}

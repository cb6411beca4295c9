package stripe

import (
	"net/http"
	"strings"
	"time"

	"perennial/billing/fault"
	"perennial/providers"
	"perennial/providers/wire"
)

// effect is the purpose of an exchange. It matters because the same silence has different meanings: a charge that was
// never sent may be sent elsewhere, but a look-up that was never sent says nothing about its charge.
type effect int

const (
	moving  effect = iota // charge, refund
	reading               // look-ups, and the cancel that ends in one
)

// keyInUseWait is the advised wait while Stripe still works on the first request with our key.
const keyInUseWait = 2 * time.Second

// refused returns what an exchange without the requested object proves. It returns an error only for a misuse of an
// idempotency key, which is a bug of ours and must reach a person: the money of the first use of the key may have
// moved, so it is not a failure of the payment either.
func (s *Stripe) refused(x exchange, e effect) (providers.Result, error) {
	res := providers.Result{
		Outcome: providers.Unknown, HTTPStatus: x.status, RetryAfter: x.retryAfter, Response: s.redact(x),
	}
	api := x.failure()
	switch {
	case x.err != nil && !x.connected:
		res.Outcome, res.FailureReason = unsent(e), "Stripe could not be reached: "+s.scrub(x.err.Error())
	case x.err != nil:
		res.FailureReason = "no complete answer from Stripe: " + s.scrub(x.err.Error())
	case x.status == http.StatusUnauthorized, x.status == http.StatusForbidden, x.status == http.StatusTooManyRequests:
		res.Outcome, res.FailureReason = unsent(e), s.scrub("Stripe did not take the request: "+sentence(x, api))
	case api == nil || x.status >= 500:
		res.FailureReason = s.scrub("Stripe gave no usable answer: " + sentence(x, api))
	case api.Type == "idempotency_error" && api.Code != "idempotency_key_in_use":
		return res, fault.New(fault.Conflict, "provider_key_reused",
			"The idempotency key was used before with other parameters. "+
				"Look up its first use before any other action. Stripe's message: %s", s.scrub(api.Message))
	case x.status == http.StatusConflict:
		res.FailureReason = s.scrub(reason(api))
		if res.RetryAfter == 0 {
			res.RetryAfter = keyInUseWait
		}
	case e == reading:
		// Only this one refusal is about the operation; any other is about our question, and leaves it open. A
		// wrong path is a 404 too, but not of this code.
		res.FailureReason = s.scrub(reason(api))
		if x.status == http.StatusNotFound && api.Code == "resource_missing" {
			res.Outcome = providers.NotFound
		}
	case api.Type == "card_error" || x.status == http.StatusPaymentRequired:
		res = s.declined(res, api)
	case api.Type == "invalid_request_error":
		res = s.rejected(res, api)
	default:
		res.FailureReason = s.scrub(reason(api))
	}
	return res, nil
}

func unsent(e effect) providers.Outcome {
	if e == moving {
		return providers.NotSent
	}
	return providers.Unknown
}

// declined reads a card error; the intent inside it is the one that a look-up would find.
func (s *Stripe) declined(res providers.Result, api *apiError) providers.Result {
	if api.PaymentIntent != nil {
		res = s.describe(res, api.PaymentIntent)
	}
	res.Outcome = providers.Declined
	res.FailureCode, res.FailureReason = failureCode(api), s.scrub(reason(api))
	return res
}

// rejected reads a request that Stripe found invalid. A payment method or customer that is not there is the payer's
// matter, fixed by a new card; everything else is between Stripe and us.
func (s *Stripe) rejected(res providers.Result, api *apiError) providers.Result {
	res.Outcome, res.FailureReason = providers.Failed, s.scrub(reason(api))
	if api.Code == "resource_missing" && (api.Param == "payment_method" || api.Param == "customer") {
		res.Outcome, res.FailureCode = providers.Declined, providers.InvalidAccount
	}
	return res
}

func sentence(x exchange, api *apiError) string {
	status := http.StatusText(x.status)
	if api == nil {
		return "HTTP " + status
	}
	return "HTTP " + status + ": " + reason(api)
}

// scrub is the last line of defence for sentences that come from elsewhere.
func (s *Stripe) scrub(text string) string {
	return strings.ReplaceAll(text, s.secretKey.Reveal(), wire.Redacted)
}

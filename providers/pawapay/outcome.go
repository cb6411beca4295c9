package pawapay

import (
	"net/http"
	"time"

	"perennial/providers"
)

// effect is the purpose of an exchange. It matters because the same silence has different meanings: a charge that was
// never sent may be sent elsewhere, but a look-up that was never sent says nothing about its charge.
type effect int

const (
	moving  effect = iota // deposit, refund
	reading               // look-ups
)

// waits are the advised waits before a refused request may be taken.
var waits = map[string]time.Duration{
	refundInProgress:       time.Minute,
	"DEPOSITS_NOT_ALLOWED": activationWait,
	"REFUNDS_NOT_ALLOWED":  activationWait,
}

// result begins the Result of an exchange: until more is known the outcome is Unknown.
func (p *PawaPay) result(x exchange) providers.Result {
	return providers.Result{
		Outcome: providers.Unknown, HTTPStatus: x.status, RetryAfter: x.retryAfter, Response: p.redact(x),
	}
}

// unanswered returns what an exchange proves that brought no answer of pawaPay itself.
func (p *PawaPay) unanswered(res providers.Result, x exchange, e effect) providers.Result {
	switch {
	case x.err != nil && !x.connected:
		res.Outcome, res.FailureReason = unsent(e), "pawaPay could not be reached: "+p.scrub(x.err.Error())
	case x.err != nil:
		res.FailureReason = "no complete answer from pawaPay: " + p.scrub(x.err.Error())
	case notTaken(x.status):
		res.Outcome, res.FailureReason = unsent(e), "pawaPay did not take the request: HTTP "+http.StatusText(x.status)
	default:
		res.FailureReason = "pawaPay gave no usable answer: HTTP " + http.StatusText(x.status)
	}
	return res
}

// notTaken reports whether a status alone proves that the request was not carried out.
func notTaken(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
}

func unsent(e effect) providers.Outcome {
	if e == moving {
		return providers.NotSent
	}
	return providers.Unknown
}

// refusal reads pawaPay's own words for an operation that it did not accept.
func (p *PawaPay) refusal(res providers.Result, x exchange, code, message string) providers.Result {
	res.FailureReason = p.reason(code, message)
	switch {
	case notTaken(x.status), unavailable[code]:
		res.Outcome, res.NotOffered = providers.NotSent, operatorsOwn[code]
		if res.RetryAfter == 0 {
			res.RetryAfter = waits[code]
		}
	case code == unknownError:
		res.Outcome = providers.Unknown
	default:
		res.Outcome, res.FailureCode = providers.Failed, failureCode(code)
		if payersOwn[code] {
			res.Outcome = providers.Declined
		}
	}
	return res
}

// described turns a record into an outcome. A status that is not on the list is Pending, since it is certainly not
// final to our knowledge.
func (p *PawaPay) described(res providers.Result, k kind, r record) providers.Result {
	res.Ref = k.id(r)
	amount, currency, err := fromWire(r.Amount, r.Currency)
	if err != nil {
		// The comparison with what we asked for cannot be made, so a person must look.
		res.Outcome, res.FailureReason = providers.Unknown, p.scrub(err.Error())
		return res
	}
	res.Amount, res.Currency = amount, currency
	switch r.Status {
	case "COMPLETED":
		res.Outcome = providers.Succeeded
	case "FAILED", "REJECTED":
		code, message := r.why()
		res.Outcome, res.FailureCode, res.FailureReason = providers.Failed, failureCode(code), p.reason(code, message)
	default: // ACCEPTED, ENQUEUED, SUBMITTED, PROCESSING, IN_RECONCILIATION
		res.Outcome, res.ConfirmURL = providers.Pending, r.AuthorizationURL
	}
	return res
}

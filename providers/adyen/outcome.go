package adyen

import (
	"net/http"
	"time"

	"perennial/providers"
)

// Adyen's result codes.
const (
	authorised          = "Authorised"
	partiallyAuthorised = "PartiallyAuthorised"
)

// repeatWait is the advised wait while Adyen still works on the first request under our key, or where it says that the
// same key may be sent again.
const repeatWait = 2 * time.Second

// errorInProgress is Adyen's code for a key whose first request is not answered yet, or was. It comes with 422 or 409.
const errorInProgress = "704"

// paymentResult turns a payment into an outcome. The account captures automatically, so an authorised payment is paid.
func (a *Adyen) paymentResult(x exchange, p payment) providers.Result {
	res := providers.Result{
		Outcome: providers.Unknown, Ref: p.PSPReference, HTTPStatus: x.status, Response: a.redact(x),
		RetryAfter: x.retryAfter,
	}
	if p.Amount != nil {
		var err error
		if res.Amount, res.Currency, err = fromWire(*p.Amount); err != nil {
			res.FailureReason = err.Error()
			return res
		}
	}
	switch p.ResultCode {
	case authorised:
		if p.PSPReference == "" {
			res.FailureReason = "Adyen authorised a payment without naming it"
			return res
		}
		res.Outcome = providers.Succeeded
	case "Pending", "Received":
		res.Outcome = providers.Pending
	case "Refused":
		res.Outcome, res.FailureCode, res.FailureReason = providers.Declined, failureCode(p), a.scrub(reason(p))
	case "Error":
		res.Outcome, res.FailureCode, res.FailureReason = providers.Failed, failureCode(p), a.scrub(reason(p))
	case "Cancelled":
		res.Outcome, res.FailureReason = providers.Canceled, a.scrub(reason(p))
	case "RedirectShopper", "ChallengeShopper", "IdentifyShopper", "PresentToShopper":
		// Nothing is authorised until the customer acts. See settled for those who can be asked.
		res.Outcome, res.FailureCode = providers.Declined, providers.DeclinedCode
		res.FailureReason = "the customer must authenticate the payment"
	case partiallyAuthorised:
		res.FailureReason = "only a part of the amount was authorised"
	default:
		res.FailureReason = "Adyen returned a result that is not documented"
	}
	return res
}

// refused returns what an exchange without the requested object proves. moving: it was to move money; any other request
// that was not sent says nothing about its operation.
func (a *Adyen) refused(x exchange, moving bool) providers.Result {
	res := providers.Result{
		Outcome: providers.Unknown, HTTPStatus: x.status, RetryAfter: x.retryAfter, Response: a.redact(x),
	}
	unsent := providers.Unknown
	if moving {
		unsent = providers.NotSent
	}
	api := x.failure()
	switch {
	case x.err != nil && !x.connected:
		res.Outcome, res.FailureReason = unsent, "Adyen could not be reached: "+a.scrub(x.err.Error())
	case x.err != nil:
		res.FailureReason = "no complete answer from Adyen: " + a.scrub(x.err.Error())
	case x.status == http.StatusUnauthorized, x.status == http.StatusForbidden, x.status == http.StatusTooManyRequests:
		res.Outcome, res.FailureReason = unsent, a.scrub("Adyen did not take the request: "+sentence(x, api))
	case x.transient, api != nil && api.ErrorCode == errorInProgress:
		res.FailureReason = a.scrub("Adyen has not finished the request: " + sentence(x, api))
		res.RetryAfter = max(res.RetryAfter, repeatWait)
	case moving && rejection(x, api):
		res = rejected(res, api)
		res.FailureReason = a.scrub(sentence(x, api))
	default:
		res.FailureReason = a.scrub("Adyen gave no usable answer: " + sentence(x, api))
	}
	return res
}

// rejection reports whether Adyen refused the request itself, before it did anything.
func rejection(x exchange, api *apiError) bool {
	if api == nil || (x.status != http.StatusBadRequest && x.status != http.StatusUnprocessableEntity) {
		return false
	}
	switch api.ErrorType {
	case "validation", "configuration", "security":
		return true
	}
	return false // "internal", and whatever is not documented
}

// methodErrors are the codes of a request whose card is not there or unusable; unverified beyond their messages
// ("Contract not found", "PaymentDetail not found", "Invalid card number", "Expiry Date Invalid").
var methodErrors = map[string]bool{"101": true, "129": true, "800": true, "802": true, "803": true}

// rejected: a card that Adyen does not know is the payer's matter, fixed by a new one; everything else is between Adyen
// and us.
func rejected(res providers.Result, api *apiError) providers.Result {
	res.Outcome = providers.Failed
	if methodErrors[api.ErrorCode] {
		res.Outcome, res.FailureCode = providers.Declined, providers.InvalidAccount
	}
	return res
}

func sentence(x exchange, api *apiError) string {
	status := "HTTP " + http.StatusText(x.status)
	if api == nil {
		return status
	}
	if api.Message == "" {
		return status + ": error " + api.ErrorCode
	}
	return status + ": " + api.Message + " (" + api.ErrorCode + ")"
}

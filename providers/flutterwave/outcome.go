package flutterwave

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"perennial/providers"
)

// effect is the purpose of an exchange. It matters because the same silence has different meanings: a charge that was
// never sent may be sent elsewhere, but a look-up that was never sent says nothing about its charge.
type effect int

const (
	charging effect = iota
	refunding
	reading
)

// conflictWait is the advised wait while Flutterwave may still work on the first request with our key.
const conflictWait = 2 * time.Second

// refused returns what an exchange without the requested object proves.
func (f *Flutterwave) refused(x exchange, e effect) providers.Result {
	res := providers.Result{
		Outcome: providers.Unknown, HTTPStatus: x.status, RetryAfter: x.retryAfter, Response: f.redact(x),
	}
	api := x.failure()
	switch {
	case x.err != nil && !x.connected:
		res.Outcome, res.FailureReason = unsent(e), f.scrub(unreached(x.err))
	case x.err != nil:
		res.FailureReason = "no complete answer from Flutterwave: " + f.scrub(x.err.Error())
	case x.status == http.StatusUnauthorized, x.status == http.StatusForbidden, x.status == http.StatusTooManyRequests:
		res.Outcome, res.FailureReason = unsent(e), f.scrub("Flutterwave did not take the request: "+sentence(x, api))
	case api == nil || x.status >= 500:
		res.FailureReason = f.scrub("Flutterwave gave no usable answer: " + sentence(x, api))
	case e == reading:
		// Only this one refusal is about the operation; any other is about our question, and leaves it open. A
		// wrong path is a 404 too, but not of this code.
		res.FailureReason = f.scrub(reason(api))
		if x.status == http.StatusNotFound && api.Code == codeNotFound {
			res.Outcome = providers.NotFound
		}
	case api.mayBeRepeat(x.status):
		res.FailureReason = f.scrub(reason(api))
		if res.RetryAfter == 0 {
			res.RetryAfter = conflictWait
		}
	default:
		res = f.rejected(res, api, e)
	}
	return res
}

// refusedSend is refused for a request that moves money. Flutterwave checks a request before it looks for its key, as
// far as is known: that a repeat is refused proves nothing about an earlier send.
func (f *Flutterwave) refusedSend(x exchange, e effect, repeat bool) providers.Result {
	res := f.refused(x, e)
	if repeat && res.Outcome.Final() {
		res.Outcome, res.FailureCode = providers.Unknown, ""
	}
	return res
}

// The codes of errors that decide something; 10409 is known from third parties only.
const (
	codeInvalid       text = "10400"
	codeNotFound      text = "10404"
	codeConflict      text = "10409"
	codeUnprocessable text = "10422"
)

// mayBeRepeat reports whether an error may be about an earlier request of ours: the key is in use, or a charge with our
// reference exists. That charge may have captured, so the error proves nothing about the payment.
func (e *apiError) mayBeRepeat(status int) bool {
	if status == http.StatusConflict || e.Code == codeConflict {
		return true
	}
	about := strings.ToLower(e.Type + " " + e.Message)
	for _, v := range e.ValidationErrors {
		about += " " + strings.ToLower(v.FieldName+" "+v.Message)
	}
	for _, word := range []string{"reference", "duplicate", "idempoten", "already"} {
		if strings.Contains(about, word) {
			return true
		}
	}
	return false
}

// rejected reads a request that Flutterwave found invalid, which it does before it does anything else. A customer,
// card or phone that it does not know is the payer's matter; everything else is between Flutterwave and us. An error
// that is not documented leaves the operation open.
func (f *Flutterwave) rejected(res providers.Result, api *apiError, e effect) providers.Result {
	res.FailureReason = f.scrub(reason(api))
	switch api.Code {
	case codeInvalid, codeUnprocessable:
		res.Outcome = providers.Failed
	case codeNotFound:
		res.Outcome = providers.Failed
		if e == charging {
			res.Outcome, res.FailureCode = providers.Declined, providers.InvalidAccount
		}
	default: // open
	}
	if e == charging && res.Outcome == providers.Failed && api.aboutPayer() {
		res.Outcome, res.FailureCode = providers.Declined, providers.InvalidAccount
	}
	return res
}

func (e *apiError) aboutPayer() bool {
	for _, v := range e.ValidationErrors {
		if strings.HasPrefix(v.FieldName, "customer") || strings.HasPrefix(v.FieldName, "payment_method") {
			return true
		}
	}
	return false
}

// unreached is the reason why a request was never sent.
func unreached(err error) string {
	var noToken *tokenError
	if errors.As(err, &noToken) {
		return noToken.reason
	}
	return "Flutterwave could not be reached: " + err.Error()
}

func unsent(e effect) providers.Outcome {
	if e == reading {
		return providers.Unknown
	}
	return providers.NotSent
}

func sentence(x exchange, api *apiError) string {
	status := http.StatusText(x.status)
	if api == nil {
		return "HTTP " + status
	}
	return "HTTP " + status + ": " + reason(api)
}

// reason is the sentence for people.
func reason(e *apiError) string {
	out := e.Message
	if out == "" {
		out = e.Type
	}
	for _, v := range e.ValidationErrors {
		out += "; " + v.FieldName + " " + v.Message
	}
	if out == "" {
		return "refused: " + string(e.Code)
	}
	return out
}

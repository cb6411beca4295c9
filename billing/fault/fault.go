// Package fault owns the one error type that carries a reason for people from the rules to the HTTP answer.
// It does not own transport: how a fault becomes an HTTP problem is api's business, how it crosses Temporal is
// worker's.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind groups faults by what the caller can do about them; it decides the HTTP status and whether a retry helps.
type Kind string

// The kinds, with the HTTP status api gives each.
const (
	Invalid      Kind = "invalid"      // 422: the request can never succeed as it is
	Unauthorized Kind = "unauthorized" // 401: no usable API key
	Forbidden    Kind = "forbidden"    // 403: the key may not do this
	NotFound     Kind = "not_found"    // 404: absent, or of another environment
	Conflict     Kind = "conflict"     // 409: the resource's present state forbids it
	Gone         Kind = "gone"         // 410: erased
	RateLimited  Kind = "rate_limited" // 429: too many requests
	Unavailable  Kind = "unavailable"  // 503: try again, with the same Idempotency-Key
	Internal     Kind = "internal"     // 500: our bug; the cause is only in the log
)

// Error is a reason a person can act on. Code is stable and part of the API; Detail is one or two sentences; Param
// names the field at fault in the caller's own spelling (`trialDays`), empty where none applies.
type Error struct {
	Kind       Kind          `json:"kind"`
	Code       string        `json:"code"`
	Detail     string        `json:"detail"`
	Param      string        `json:"param,omitempty"`
	RetryAfter time.Duration `json:"retryAfter,omitempty"`
	// FailureCode is that of the payment that led to it; empty: none did.
	FailureCode string `json:"failureCode,omitempty"`

	cause error
}

// New builds a fault; detail is a format string.
func New(kind Kind, code, detail string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Detail: fmt.Sprintf(detail, args...)}
}

// InvalidParam builds the commonest fault: one field of a request is wrong.
func InvalidParam(param, code, detail string, args ...any) *Error {
	return New(Invalid, code, detail, args...).In(param)
}

// In returns a copy that names the field at fault.
func (e *Error) In(param string) *Error {
	c := *e
	c.Param = param
	return &c
}

// Failing returns a copy with the failure code of a payment.
func (e *Error) Failing(code string) *Error {
	c := *e
	c.FailureCode = code
	return &c
}

// Within returns a copy whose field is in the object name: team, for prices[0].amount, makes team.prices[0].amount.
func (e *Error) Within(name string) *Error {
	if e.Param != "" {
		name += "." + e.Param
	}
	return e.In(name)
}

// After returns a copy with the time after which a retry may succeed. Such a refusal is not final.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

// Because returns a copy that keeps the cause for the log. The cause is never shown to a caller.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// Error is for logs: code, detail and cause.
func (e *Error) Error() string {
	s := e.Code + ": " + e.Detail
	if e.Param != "" {
		s += " (" + e.Param + ")"
	}
	if e.cause != nil {
		s = strings.TrimSuffix(s, ".") + ": " + e.cause.Error()
	}
	return s
}

// Unwrap returns the cause for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.cause }

// Is lets errors.Is match two faults of the same code, whatever their detail.
func (e *Error) Is(target error) bool {
	var t *Error
	return errors.As(target, &t) && t.Code == e.Code
}

// From returns the fault inside err, or an Internal one that hides err behind code `internal`.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(Internal, "internal", "The request failed with a server error.").Because(err)
}

// All returns the faults inside err in their order, also where errors were joined; none for nil.
func All(err error) (faults []*Error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			faults = append(faults, All(e)...)
		}
		return faults
	}
	if f := From(err); f != nil {
		faults = append(faults, f)
	}
	return faults
}

// Retryable reports whether the same call may succeed later although nothing else changes.
func (e *Error) Retryable() bool {
	return e.Kind == RateLimited || e.Kind == Unavailable || e.Kind == Internal
}

// Refusal reports whether the rules refused the request, which is an outcome of it. A server error is none.
func (e *Error) Refusal() bool {
	switch e.Kind {
	case Invalid, NotFound, Conflict, Gone:
		return true
	default:
		return false
	}
}

// methodFault begins the code of every fault that is about the customer's payment method, not about the request.
const methodFault = "payment_method_"

// AboutPaymentMethod reports whether another payment method of the customer fixes it.
func (e *Error) AboutPaymentMethod() bool { return strings.HasPrefix(e.Code, methodFault) }

// Final reports whether a repeat of the same request gets the same response. It is the one rule about which responses
// are stored: a refusal with RetryAfter is temporary, and a stored one would outlive its reason.
func (e *Error) Final() bool { return e.Refusal() && e.RetryAfter == 0 }

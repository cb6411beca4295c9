package stripesim

import (
	"crypto/rand"
	"fmt"
	"net/http"

	"perennial/providers/simulator/core"
)

// failure is Stripe's error object.
type failure struct {
	Code          string `json:"code,omitempty"`
	DeclineCode   string `json:"decline_code,omitempty"`
	Message       string `json:"message"`
	Param         string `json:"param,omitempty"`
	PaymentIntent any    `json:"payment_intent,omitempty"`
	PaymentMethod any    `json:"payment_method,omitempty"`
	Type          string `json:"type"`
}

func refusal(status int, f failure) core.Answer {
	return core.Answer{Status: status, Body: map[string]any{"error": f}}
}

func refuse(a core.Answer) *core.Answer { return &a }

// invalid is an invalid_request_error; message is a format string.
func invalid(status int, code, param, message string, args ...any) core.Answer {
	return refusal(status, failure{
		Type: "invalid_request_error", Code: code, Param: param, Message: fmt.Sprintf(message, args...),
	})
}

func missing(status int, param, what, id string) core.Answer {
	return invalid(status, "resource_missing", param, "No such %s: '%s'", what, id)
}

func broken() core.Answer {
	return refusal(http.StatusInternalServerError, failure{Type: "api_error", Message: "An unknown error occurred"})
}

func overloaded() core.Answer {
	a := refusal(http.StatusTooManyRequests, failure{
		Type: "invalid_request_error", Code: "rate_limit",
		Message: "Too many requests hit the API too quickly. The request was not processed.",
	})
	a.Header = http.Header{"Retry-After": {"1"}}
	return a
}

func ok(body any) core.Answer { return core.Answer{Status: http.StatusOK, Body: body} }

// newID is random, because a restarted simulator must not hand out an ID twice.
func newID(prefix string) string { return prefix + rand.Text()[:24] }

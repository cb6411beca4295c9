package simulator

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// answer is what an endpoint decided: the reply, what the ledger must hold before anyone sees it, and whether anyone
// shall see it at all.
type answer struct {
	status     int
	body       any
	retryAfter int
	record     *record // nil where nothing changed
	remember   bool    // store the reply under the idempotency key
	hang       bool    // do everything, then never answer
	events     []event // to send once the change is durable
}

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

func refusal(status int, f failure) answer {
	return answer{status: status, body: map[string]any{"error": f}}
}

// invalid is an invalid_request_error; message is a format string.
func invalid(status int, code, param, message string, args ...any) answer {
	return refusal(status, failure{
		Type: "invalid_request_error", Code: code, Param: param, Message: fmt.Sprintf(message, args...),
	})
}

func missing(status int, param, what, id string) answer {
	return invalid(status, "resource_missing", param, "No such %s: '%s'", what, id)
}

func broken() answer {
	return refusal(http.StatusInternalServerError, failure{Type: "api_error", Message: "An unknown error occurred"})
}

func overloaded() answer {
	a := refusal(http.StatusTooManyRequests, failure{
		Type: "invalid_request_error", Code: "rate_limit",
		Message: "Too many requests hit the API too quickly. The request was not processed.",
	})
	a.retryAfter = 1
	return a
}

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

func write(w http.ResponseWriter, a answer) {
	body, err := json.Marshal(a.body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	writeRaw(w, a.status, a.retryAfter, body)
}

func writeRaw(w http.ResponseWriter, status, retryAfter int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", newID("req_"))
	if retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that left is not our concern: what it asked for is in the ledger
}

// newID is random, because a restarted simulator must not hand out an ID twice.
func newID(prefix string) string { return prefix + rand.Text()[:24] }

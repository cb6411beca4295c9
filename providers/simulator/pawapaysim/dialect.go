// Package pawapaysim owns pawaPay's part of the simulated pawaPay (Merchant API v2): its paths, operators, test
// telephone numbers, callbacks and their signature. It does not own faults, the ledger's file or the control API
// (core).
package pawapaysim

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"perennial/providers/simulator/core"
)

// Config has the accounts and the delays of people and operators.
type Config struct {
	Tokens     []string      // accepted API tokens; empty accepts every one
	Latency    time.Duration // of an operator, once the payer has decided; default 1 s
	PromptLife time.Duration // how long an unanswered prompt stays open; default 10 min
	Unsigned   bool          // the account has not switched signed callbacks on
}

// Dialect is pawaPay's.
type Dialect struct {
	config Config
	server *core.Server
	state  *state
	tokens map[string]bool
}

var _ core.Dialect = (*Dialect)(nil)

// New makes the dialect for one server.
func New(c Config) *Dialect {
	c.Latency, c.PromptLife = cmp.Or(c.Latency, time.Second), cmp.Or(c.PromptLife, 10*time.Minute)
	d := &Dialect{config: c, state: newState(), tokens: map[string]bool{}}
	for _, token := range c.Tokens {
		d.tokens[token] = true
	}
	return d
}

// Name is "pawapay".
func (*Dialect) Name() string { return "pawapay" }

// Attach remembers the server.
func (d *Dialect) Attach(server *core.Server) { d.server = server }

// Authenticate reads the Bearer token. Its mode is in its name here; at pawaPay it is in the address.
func (d *Dialect) Authenticate(c *core.Call) *core.Answer {
	token, found := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	switch {
	case !found || token == "":
		return refuse(failure(http.StatusUnauthorized, "NO_AUTHENTICATION", "The request has no API token."))
	case len(d.tokens) > 0 && !d.tokens[token]:
		return refuse(failure(http.StatusForbidden, "AUTHENTICATION_ERROR", "The API token is not valid."))
	}
	c.Live, c.Account = strings.Contains(token, "live"), token
	return nil
}

// Key is empty: the ID of an operation is its idempotency key, and is remembered for ever.
func (*Dialect) Key(*core.Call) (key, mark string, refused *core.Answer) { return "", "", nil }

// Refuse is pawaPay's failureReason for each refusal.
func (*Dialect) Refuse(r core.Refusal, subject string) core.Answer {
	switch r {
	case core.NoSuchPath:
		return failure(http.StatusNotFound, "NOT_FOUND", "No such path: "+subject+".")
	case core.TooLarge:
		return failure(http.StatusBadRequest, "INVALID_INPUT", "The request body could not be read.")
	case core.Overloaded:
		a := failure(http.StatusTooManyRequests, "TOO_MANY_REQUESTS", "The request was not processed.")
		a.Header = http.Header{"Retry-After": {"1"}}
		return a
	case core.Unavailable:
		return core.Answer{Status: http.StatusServiceUnavailable}
	case core.Broken, core.KeyInUse, core.KeyMisused:
	}
	return failure(http.StatusInternalServerError, unknownError,
		"Unable to process the request due to an unknown problem.")
}

// Stamp adds nothing.
func (*Dialect) Stamp(http.Header, *core.Call, bool) {}

// Decode reads a record.
func (*Dialect) Decode(change json.RawMessage) (any, error) { return core.Decode[record](change) }

// Apply puts the objects of a record in place.
func (d *Dialect) Apply(change any) {
	rec := change.(*record) //nolint:forcetypeassert // every Effect of this package carries one, and so does Decode
	d.state.apply(rec)
	if rec.Deposit != nil {
		d.armDeposit(rec.Deposit)
	}
	if rec.Refund != nil {
		d.armRefund(rec.Refund)
	}
}

const unknownError = "UNKNOWN_ERROR"

type reason struct {
	FailureCode    string `json:"failureCode"`
	FailureMessage string `json:"failureMessage,omitempty"`
}

// failure refuses a request as a whole.
func failure(status int, code, message string) core.Answer {
	return core.Answer{Status: status, Body: map[string]any{"failureReason": reason{code, message}}}
}

func refuse(a core.Answer) *core.Answer { return &a }

func ok(body any) core.Answer { return core.Answer{Status: http.StatusOK, Body: body} }

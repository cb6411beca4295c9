// Package stripesim owns Stripe's part of the simulated Stripe: its paths, form encoding, test payment methods, events
// and their signature. It does not own faults, idempotency, the ledger's file or the control API (core).
package stripesim

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"perennial/providers/simulator/core"
)

// Config has the accounts.
type Config struct {
	SecretKeys []string      // accepted keys; empty accepts every well-formed sk_ and rk_ key
	SearchLag  time.Duration // how long a new payment intent stays invisible to search; default none
}

// Dialect is Stripe's.
type Dialect struct {
	config Config
	keys   map[string]bool
	server *core.Server
	state  *state
}

var _ core.Dialect = (*Dialect)(nil)

// New makes the dialect for one server.
func New(c Config) *Dialect {
	s := &Dialect{config: c, keys: map[string]bool{}, state: newState()}
	for _, k := range c.SecretKeys {
		s.keys[k] = true
	}
	return s
}

// Name is "stripe".
func (*Dialect) Name() string { return "stripe" }

// Attach remembers the server.
func (s *Dialect) Attach(server *core.Server) { s.server = server }

// Decode reads a record.
func (*Dialect) Decode(change json.RawMessage) (any, error) { return core.Decode[record](change) }

// Apply puts the objects of a record in place.
func (s *Dialect) Apply(change any) {
	rec := change.(*record) //nolint:forcetypeassert // every Effect of this package carries one, and so does Decode
	s.state.apply(rec)
	if rec.Intent != nil {
		s.arm(rec.Intent)
	}
}

// Key is Stripe's header on requests that change something.
func (*Dialect) Key(c *core.Call) (key, mark string, refused *core.Answer) {
	if c.Method != http.MethodPost {
		return "", "", nil
	}
	key = c.Header.Get("Idempotency-Key")
	if len(key) > 255 {
		return "", "", refuse(invalid(http.StatusBadRequest, "", "", "Idempotency keys can have at most 255 characters."))
	}
	return key, fingerprint(c.Path, c.Live, input(c)), nil
}

// Refuse is Stripe's error object for each refusal.
func (*Dialect) Refuse(r core.Refusal, subject string) core.Answer {
	switch r {
	case core.NoSuchPath:
		return invalid(http.StatusNotFound, "", "",
			"Unrecognized request URL (%s). The simulator imitates only the paths its README lists.", subject)
	case core.KeyInUse:
		return refusal(http.StatusConflict, failure{
			Type: "idempotency_error", Code: "idempotency_key_in_use",
			Message: "There is currently another in-progress request using this Idempotent Key (" + subject + ").",
		})
	case core.KeyMisused:
		return refusal(http.StatusBadRequest, failure{
			Type: "idempotency_error",
			Message: "Keys for idempotent requests can only be used with the same parameters they were first used with. Try " +
				"using a key other than '" + subject + "'.",
		})
	case core.TooLarge:
		return invalid(http.StatusBadRequest, "", "", "The request body could not be read.")
	case core.Overloaded:
		return overloaded()
	case core.Unavailable:
		a := broken()
		a.Status = http.StatusServiceUnavailable
		return a
	case core.Broken:
	}
	return broken()
}

// Stamp gives every answer a request ID.
func (*Dialect) Stamp(h http.Header, _ *core.Call, replayed bool) {
	h.Set("Request-Id", newID("req_"))
	if replayed {
		h.Set("Idempotent-Replayed", "true")
	}
}

// input returns the result of readParams for a call.
func input(c *core.Call) url.Values {
	v, _ := c.Input.(url.Values) // nil for paths without parameters
	return v
}

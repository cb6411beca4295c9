// Package flutterwavesim owns Flutterwave's part of the simulated Flutterwave: access tokens, paths, objects, trigger
// values, webhooks and their signature. It does not own faults, idempotency, the ledger's file or the control API
// (core).
package flutterwavesim

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"perennial/providers/simulator/core"
)

// Config has the accounts and the waiting times of tests.
type Config struct {
	Clients     map[string]string // secrets by client ID; empty accepts every client with any secret
	TokenLife   time.Duration     // default 2 minutes, so that tokens expire during a manual test
	PromptAfter time.Duration     // how long a payer takes to confirm a prompt; default a second
	RefundAfter time.Duration     // how long a refund is new; default 20 ms
	PlainHash   bool              // webhooks carry the secret hash itself instead of an HMAC
}

// Dialect is Flutterwave's.
type Dialect struct {
	config Config
	server *core.Server
	state  *state

	mu     sync.Mutex // guards tokens
	tokens map[string]string
}

var _ core.Dialect = (*Dialect)(nil)

// New makes the dialect for one server.
func New(c Config) *Dialect {
	if c.TokenLife == 0 {
		c.TokenLife = 2 * time.Minute
	}
	if c.PromptAfter == 0 {
		c.PromptAfter = time.Second
	}
	if c.RefundAfter == 0 {
		c.RefundAfter = 20 * time.Millisecond
	}
	return &Dialect{config: c, state: newState(), tokens: map[string]string{}}
}

// Name is "flutterwave".
func (*Dialect) Name() string { return "flutterwave" }

// Attach remembers the server.
func (s *Dialect) Attach(server *core.Server) { s.server = server }

// Decode reads a record.
func (*Dialect) Decode(change json.RawMessage) (any, error) { return core.Decode[record](change) }

// Apply puts the objects of a record in place.
func (s *Dialect) Apply(change any) {
	rec := change.(*record) //nolint:forcetypeassert // every Effect of this package carries one, and so does Decode
	s.state.apply(rec)
	if rec.Charge != nil {
		s.armCharge(rec.Charge)
	}
	if rec.Refund != nil {
		s.armRefund(rec.Refund)
	}
}

// Endpoints is all of Flutterwave that the simulator imitates.
func (s *Dialect) Endpoints() map[string]core.Endpoint {
	card := core.Endpoint{Read: readBody[cardRequest], Run: s.chargeCard, Delay: s.cardDelay}
	return map[string]core.Endpoint{
		"POST " + tokenPath:                  {Open: true, Run: s.giveToken},
		"GET /customers":                     {Run: s.listCustomers},
		"GET /mobile-networks":               {Run: listNetworks},
		"POST /charges":                      card,
		"POST /orchestration/direct-charges": {Read: readBody[mobileRequest], Run: s.chargeMobile},
		"GET /charges":                       {Run: s.listCharges},
		"GET /charges/{id}":                  {Run: s.getCharge},
		"POST /refunds":                      {Read: readBody[refundRequest], Run: s.createRefund},
		"GET /refunds":                       {Run: s.listRefunds},
		"GET /refunds/{id}":                  {Run: s.getRefund},
		"GET /chargebacks":                   {Run: s.listChargebacks},
	}
}

var wireKey = regexp.MustCompile(`^[A-Za-z0-9]{12,255}$`)

// Key is Flutterwave's header on requests that change something. It binds the path only: a repeat gets the first answer
// whatever it says.
func (*Dialect) Key(c *core.Call) (key, mark string, refused *core.Answer) {
	if c.Method != http.MethodPost || c.Path == tokenPath {
		return "", "", nil
	}
	for _, name := range []string{"X-Idempotency-Key", "X-Trace-Id"} {
		if value := c.Header.Get(name); value != "" && !wireKey.MatchString(value) {
			return "", "", refuse(invalid(name, "must have 12 to 255 letters and digits"))
		}
	}
	return c.Header.Get("X-Idempotency-Key"), c.Path, nil
}

// Refuse is Flutterwave's error object for each refusal. A path that does not exist is the gateway's matter, which has
// no such object.
func (*Dialect) Refuse(r core.Refusal, subject string) core.Answer {
	switch r {
	case core.NoSuchPath:
		return core.Answer{Status: http.StatusNotFound, Body: map[string]any{
			"message": "no Route matched with those values (" + subject + ")",
		}}
	case core.KeyInUse, core.KeyMisused:
		return failed(http.StatusConflict, "RESOURCE_CONFLICT", "10409", "A request with this idempotency key is in progress")
	case core.TooLarge:
		return failed(http.StatusBadRequest, "REQUEST_NOT_VALID", "10400", "The request body could not be read")
	case core.Overloaded:
		return overloaded()
	case core.Unavailable:
		return core.Answer{Status: http.StatusServiceUnavailable, Body: map[string]any{"message": "Service unavailable"}}
	case core.Broken:
	}
	return failed(http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "10500", "An unexpected error occurred")
}

// Stamp repeats the trace, and says where an answer is an old one.
func (*Dialect) Stamp(h http.Header, c *core.Call, replayed bool) {
	if trace := c.Header.Get("X-Trace-Id"); wireKey.MatchString(trace) {
		h.Set("X-Trace-Id", trace)
	}
	if replayed {
		h.Set("X-Idempotency-Cache-Hit", "true")
	}
}

// readBody decodes a JSON body strictly: a field that the simulator does not imitate is refused, so that a test notices
// when an adapter begins to depend on it.
func readBody[T any](c *core.Call) *core.Answer {
	in := new(T)
	d := json.NewDecoder(strings.NewReader(string(c.Body)))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(in); err != nil || d.More() {
		return refuse(invalid("body", "is not the JSON object that this path takes"))
	}
	c.Input = in
	return nil
}

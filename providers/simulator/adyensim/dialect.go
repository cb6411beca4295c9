// Package adyensim owns Adyen's part of the simulated Adyen: the paths of Checkout v71, its JSON, stored cards with a
// set behaviour, and standard webhooks with an HMAC on every item. It does not own faults, idempotency, the ledger's
// file or the control API (core).
package adyensim

import (
	"encoding/json"
	"net/http"
	"slices"

	"perennial/providers/simulator/core"
)

// Config has the accounts.
type Config struct {
	APIKeys          []string // accepted keys; empty accepts every one
	MerchantAccounts []string // accepted accounts; empty accepts every one
	Live             bool     // the half that it imitates: Adyen's keys do not show it
}

// Dialect is Adyen's.
type Dialect struct {
	config Config
	server *core.Server
	state  *state
}

var _ core.Dialect = (*Dialect)(nil)

// New makes the dialect for one server.
func New(c Config) *Dialect { return &Dialect{config: c, state: newState()} }

// Name is "adyen".
func (*Dialect) Name() string { return "adyen" }

// Attach remembers the server.
func (d *Dialect) Attach(server *core.Server) { d.server = server }

// Decode reads a record.
func (*Dialect) Decode(change json.RawMessage) (any, error) { return core.Decode[record](change) }

// Apply puts the objects of a record in place.
func (d *Dialect) Apply(change any) {
	rec := change.(*record) //nolint:forcetypeassert // every Effect of this package carries one, and so does Decode
	d.state.apply(rec)
	if rec.Payment != nil {
		d.arm(rec.Payment)
	}
}

// Endpoints are Checkout's.
func (d *Dialect) Endpoints() map[string]core.Endpoint {
	return map[string]core.Endpoint{
		"POST /v71/paymentMethods":           {Read: read[methodsRequest], Run: d.paymentMethods},
		"POST /v71/payments":                 {Read: read[paymentRequest], Delay: d.bankDelay, Run: d.pay},
		"POST /v71/payments/details":         {Read: read[detailsRequest], Run: d.details},
		"POST /v71/payments/{psp}/refunds":   {Read: read[refundRequest], Run: d.refund},
		"POST /v71/payments/{psp}/cancels":   {Read: read[modificationRequest], Run: d.cancel},
		"POST /v71/payments/{psp}/reversals": {Read: read[modificationRequest], Run: d.reverse},
		"POST /v71/cancels":                  {Read: read[standaloneRequest], Run: d.technicalCancel},

		"DELETE /v71/storedPaymentMethods/{id}": {Run: d.removeCard},

		"GET " + payersPath + "{psp}":  {Open: true, Run: d.showPage},
		"POST " + payersPath + "{psp}": {Open: true, Run: d.leavePage},
	}
}

// Authenticate reads the key. Whether it may use the merchant account of the body is each endpoint's to say.
func (d *Dialect) Authenticate(c *core.Call) *core.Answer {
	key := c.Header.Get("X-API-Key")
	if key == "" || !allowed(d.config.APIKeys, key) {
		return refuse(failure(http.StatusUnauthorized, "000", "security", "HTTP Status Response - Unauthorized"))
	}
	c.Live, c.Account = d.config.Live, key
	return nil
}

func allowed(list []string, value string) bool {
	return len(list) == 0 || slices.Contains(list, value)
}

// Key is the header. It binds the path only: whether Adyen compares bodies is not documented, so this is the worse
// case, in which a used key brings the first result whatever is asked.
func (*Dialect) Key(c *core.Call) (key, mark string, refused *core.Answer) {
	key = c.Header.Get("Idempotency-Key")
	if len(key) > 64 {
		return "", "", refuse(failure(http.StatusUnprocessableEntity, "702", "validation", "Idempotency key too long"))
	}
	return key, c.Path, nil
}

// Refuse is Adyen's error object for each refusal.
func (*Dialect) Refuse(r core.Refusal, _ string) core.Answer {
	switch r {
	case core.NoSuchPath:
		return core.Answer{Status: http.StatusNotFound}
	case core.KeyInUse, core.KeyMisused:
		a := failure(http.StatusUnprocessableEntity, "704", "validation", "request already processed or in progress")
		a.Header = http.Header{"Transient-Error": {"true"}}
		return a
	case core.TooLarge:
		return failure(http.StatusBadRequest, "702", "validation", "Unexpected end of input")
	case core.Overloaded:
		a := failure(http.StatusTooManyRequests, "010", "security", "Too many requests")
		a.Header = http.Header{"Retry-After": {"1"}}
		return a
	case core.Unavailable:
		return core.Answer{Status: http.StatusServiceUnavailable}
	case core.Broken:
	}
	return failure(http.StatusInternalServerError, "905", "internal", "Internal error")
}

// Stamp echoes the key that Adyen has honoured.
func (*Dialect) Stamp(h http.Header, c *core.Call, _ bool) {
	if key := c.Header.Get("Idempotency-Key"); key != "" {
		h.Set("Idempotency-Key", key)
	}
}

func failure(status int, code, kind, message string) core.Answer {
	return core.Answer{Status: status, Body: map[string]any{
		"status": status, "errorCode": code, "errorType": kind, "message": message,
	}}
}

func refuse(a core.Answer) *core.Answer { return &a }

func invalid(code, message string) core.Answer {
	return failure(http.StatusUnprocessableEntity, code, "validation", message)
}

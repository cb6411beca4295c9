package api

import (
	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit"
	"perennial/db"
	"perennial/internal/telemetry"
)

//go:generate go test . -run ^TestTheDocumentIsCommitted$ -count=1 -update

// Document is the OpenAPI document without a server: what clients are generated from.
func Document(version string) []byte {
	s := &Server{store: &db.Store{}, telemetry: &telemetry.Telemetry{}} // nothing is asked of them
	s.route(Config{Version: version})
	return s.kit.Document()
}

// describe is what the OpenAPI document says about the whole API.
func (c Config) describe() httpkit.Config {
	return httpkit.Config{
		Title: "Perennial", Version: c.Version, Introduction: introduction, AboutKeys: aboutKeys, Tags: tags, Prefixes: prefixes,
		PublicURL: c.PublicURL, TrustedProxies: c.TrustedProxies, Bounds: c.Bounds,
	}
}

// prefixes under which every resource answers, from the same handlers.
var prefixes = []string{"/api", "/v1"}

const aboutKeys = "A secret key (sk_test_…, sk_live_…) on your server. Publishable keys (pk_…) may list active plans and read " +
	"the status of one payment, from web pages of any origin too."

var tags = []huma.Tag{
	{Name: "Plans", Description: "What can be bought."},
	{Name: "Customers", Description: "Who buys, and how they pay."},
	{Name: "Subscriptions", Description: "A customer's use of a plan, billed period by period."},
	{Name: "Payments", Description: "Attempts to move money: charges and refunds."},
	{Name: "Invoices", Description: "What is owed for a period."},
	{Name: "Events", Description: "What happened, in the order of each subscription."},
	{Name: "Test clocks", Description: "A time of its own for test customers: a year in seconds."},
	{Name: "Apps", Description: "The applications of a tenant."},
}

const introduction = `Subscription billing. Every resource answers under /api and, the same, under /v1.

Amounts are integers in minor units of the currency (1900 is 19.00 USD, but 1900 XAF); times are Unix seconds.

Lists are newest first: limit 1 to 100, startingAfter or endingBefore the id of an entry, and hasMore. HEAD answers what GET
would, without the body.

Every POST, PATCH and DELETE takes an Idempotency-Key of 1 to 255 visible characters. A repeat with the same key and the
same body is given the stored answer, with Idempotent-Replayed: true, for at least 24 hours. Another body answers 422
idempotency_key_reused. While the first request still runs a repeat waits a few seconds, then answers 409.

What a subscription or a test clock refuses is stored like a success, with one exception: a 409 with Retry-After passes by
itself (a payment or a renewal is in progress, a test clock is advancing, the first request still runs). Wait that long and
repeat with the same key: the request is judged anew, and performed at most once. A request that is wrong in itself, or whose
creation is refused, had no effect and is judged anew too.

Errors are application/problem+json (RFC 9457) with a stable code, the field at fault in param, and a requestId. Every
request is answered within 10 seconds, beside the time that Prefer: wait asks for. After a 503 wait for Retry-After and
repeat with the same key.`

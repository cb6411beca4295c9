package api

import (
	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit"
	"perennial/db"
	"perennial/internal/telemetry"
	"perennial/service"
)

// The last embeds the files that the others write.
//go:generate go test . -run ^(TestProblems_AreListed|TestRefusals_AreListedByOperation)$ -count=1 -update
//go:generate go test . -run ^TestOpenAPI_IsCommitted$ -count=1 -update

// Document is the OpenAPI document without a server: what clients are generated from. It has no server so that it is
// the same for every installation, and a change of it in review is a change of the API.
func Document(version string) []byte {
	// Their methods are not called.
	s := &Server{store: &db.Store{}, service: &service.Service{}, telemetry: &telemetry.Telemetry{}}
	s.route(Config{Version: version})
	return s.kit.Document()
}

// describe returns the texts of the OpenAPI document about the whole API.
func (c Config) describe() httpkit.Config {
	return httpkit.Config{
		Title: "Perennial", Version: c.Version, Introduction: introduction, AboutKeys: aboutKeys, Tags: tags,
		Problems: problems(), Refusals: refusals(), Words: words,
		Prefixes:  prefixes,
		PublicURL: c.PublicURL, TrustedProxies: c.TrustedProxies, Bounds: c.Bounds, AtOnce: c.RequestsAtOnce,
	}
}

// prefixes under which every resource answers, from the same handlers.
var prefixes = []string{"/api", "/v1"}

const aboutKeys = "A secret key (sk_test_…, sk_live_…), for your server only. Publishable keys (pk_…) can list active plans and read " +
	"the status of one payment, also from web pages of any origin."

var tags = []huma.Tag{
	{Name: "Plans", Description: "The products that customers subscribe to."},
	{Name: "Coupons", Description: "Discounts that subscriptions redeem by a code."},
	{Name: "Taxes", Description: "The tax rates of invoices."},
	{
		Name:        "Environment",
		Description: "The environment of the API key: its settings, such as the dunning policy, and its charging stop.",
	},
	{Name: "Payment providers", Description: "The accounts at payment providers, through which payments go."},
	{Name: "Customers", Description: "The payers, with the payment method that is charged by default."},
	{Name: "Payment methods", Description: "The cards and wallets of a customer, one of them the default."},
	{Name: "Subscriptions", Description: "A customer's use of a plan, billed per period."},
	{Name: "Usage", Description: "Metrics, and the records that they count."},
	{Name: "Payments", Description: "Attempts to move money: charges and refunds."},
	{Name: "Disputes", Description: "Objections of payers to charges, made at their banks."},
	{Name: "Invoices", Description: "The amounts owed for a period."},
	{Name: "Credit grants", Description: "Credit beside the balance, which is used first and may expire."},
	{Name: "Credit notes", Description: "What was given back of invoices, and where to."},
	{Name: "Reports", Description: "The figures and the documents of a month, for the books."},
	{Name: "Events",
		Description: "The state changes, in order for each subscription. " +
			"docs/events.md of the source lists the fields of data by type."},
	{Name: "Webhooks", Description: "The endpoints that receive events, and the log of all deliveries."},
	{Name: "Invoice templates", Description: "How invoices, credit notes and receipts look."},
	{Name: "Emails", Description: "Mails to customers: who sends them, and what became of each."},
	{Name: "Test clocks", Description: "Simulated time for test customers, which advances a year in seconds."},
	{Name: "Apps", Description: "The applications of a tenant."},
}

const introduction = `Subscription billing. Every resource is available under /api and, identically, under /v1.

Amounts are integers in minor units of the currency (1900 is 19.00 USD, but 1900 XAF); times are Unix seconds.

Lists are newest first: limit 1 to 100 (default 20), startingAfter or endingBefore the id of an entry, and hasMore. To
follow a list, read all of its pages by startingAfter once, then ask again and again with endingBefore the newest id that
you have. HEAD returns the same as GET, without the body.

Every POST, PATCH and DELETE takes an Idempotency-Key of 1 to 255 visible characters. A repeat with the same key and the
same body returns the stored response, with Idempotent-Replayed: true, for at least 24 hours; a repeated charge or retried
refund, and any repeat with Prefer: wait, returns the resource as it is now. Another body returns 422
idempotency_key_reused. While the first request is in progress, a repeat waits a few seconds and then returns 409.

The refusal of a command is stored like a success, with one exception: a 409 with Retry-After is temporary (a payment or
a renewal is in progress, a test clock is advancing, the first request is in progress). Wait that long and repeat with
the same key: the request is processed again, and performed at most once. An invalid request and a refused creation have
no effect and are processed again too.

An API key may make a number of requests a second, and some more at once: RateLimit-Policy says how many ("key";q=200;w=2:
200 in 2 seconds), RateLimit how many are left (r) and when none are used any more (t, in seconds). Beyond it, requests
are refused with 429 rate_limit_exceeded. When the service has more to do than it can, some are refused with 503
overloaded. Neither was performed: wait for Retry-After and repeat them.

The commands of one subscription wait for each other. Beyond a few at the same time, one is refused with 429
too_many_commands before anything is done for it. Wait for Retry-After and repeat it with the same key.

Errors are application/problem+json (RFC 9457) with a stable code, the field at fault in param, and a requestId. /docs#problems
lists every code with its meaning and when to repeat the request. Every request gets a response within 10 seconds, plus
the time of Prefer: wait. After a 503, wait for Retry-After and repeat with the same key.`

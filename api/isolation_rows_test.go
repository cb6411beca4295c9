package api

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/internal/id"
)

// owned are ids of one environment's rows.
type owned struct {
	plan, customer, subscription, payment, invoice, clock, event, endpoint, delivery, provider, dispute string
	taxRate, coupon, product, creditNote, creditGrant, apiKey, metric, auditEntry, paymentMethod, email string
	invoiceTemplate                                                                                     string
}

// of returns the id for a path's {id}.
func (o owned) of(path string) string {
	for prefix, id := range map[string]string{
		"/plans": o.plan, "/customers": o.customer, "/subscriptions": o.subscription, "/payments": o.payment,
		"/invoices": o.invoice, "/test-clocks": o.clock, "/events": o.event,
		"/webhooks": o.endpoint, "/webhook-logs": o.delivery,
		"/payment-providers": o.provider, "/disputes": o.dispute, "/tax-rates": o.taxRate, "/coupons": o.coupon,
		"/credit-notes": o.creditNote, "/credit-grants": o.creditGrant, "/payment-methods": o.paymentMethod,
		"/products": o.product, "/api-keys": o.apiKey, "/metrics": o.metric, "/audit-log": o.auditEntry,
		"/emails": o.email, "/invoice-templates": o.invoiceTemplate,
	} {
		if strings.HasPrefix(path, prefix+"/") {
			return id
		}
	}
	return ""
}

// in returns a path with the ids of these rows, in the month in which they were written.
func (o owned) in(template string) string {
	of := cmp.Or(o.of(template), o.of(resourcePath(template))) // with a prefix or without
	return strings.NewReplacer("{id}", of, "{month}", "2026-11").Replace(template)
}

// absent returns well-formed ids that do not exist.
func absent(at time.Time) owned {
	return owned{
		plan: id.New(id.Plan, at), customer: id.New(id.Customer, at), subscription: id.New(id.Subscription, at),
		payment: id.New(id.Transaction, at), invoice: id.New(id.Invoice, at), clock: id.New(id.TestClock, at),
		event: id.New(id.Event, at), endpoint: id.New(id.Endpoint, at), delivery: id.New(id.Delivery, at),
		provider: id.New(id.ProviderConfig, at), dispute: id.New(id.Dispute, at), taxRate: id.New(id.TaxRate, at),
		coupon: id.New(id.Coupon, at), product: id.New(id.Product, at), creditNote: id.New(id.CreditNote, at),
		apiKey:      id.New(id.APIKey, at),
		creditGrant: id.New(id.CreditGrant, at), paymentMethod: id.New(id.PaymentMethod, at),
		metric: id.New(id.Metric, at), auditEntry: id.New(id.AuditEntry, at), email: id.New(id.Email, at),
		invoiceTemplate: id.New(id.InvoiceTemplate, at),
	}
}

func (b *bench) fill(t testing.TB, e opened) owned {
	t.Helper()
	endpoint := b.newEndpoint(t, e, "*")
	sub := b.newSubscription(t, e)
	clock := as[TestClock](t, 201, b.ask(t, e, "POST", "/api/test-clocks", nil))
	payment := as[Payment](t, 201, b.ask(t, e, "POST", "/api/payments",
		map[string]any{"customerId": sub.CustomerID, "amount": 500, "currency": "USD"}))
	events := as[httpkit.List[Event]](t, 200, b.ask(t, e, "GET", "/api/events?limit=1", nil))
	logs := as[httpkit.List[WebhookLog]](t, 200,
		b.ask(t, e, "GET", "/api/webhook-logs?limit=1&paymentTransactionId="+payment.ID, nil))
	backup := as[PaymentProvider](t, 201, b.ask(t, e, "POST", "/api/payment-providers",
		map[string]any{"provider": "stripe", "secretKey": "sk_" + string(e.mode) + "_good"}))
	rate := as[TaxRate](t, 201, b.ask(t, e, "POST", "/api/tax-rates", `{"name":"VAT","percent":"19"}`))
	key := as[Key](t, 201, b.ask(t, e, "POST", "/api/api-keys", map[string]any{}))
	inv := b.newInvoice(t, e, sub.ID)
	coupon := as[Coupon](
		t, 201, b.ask(t, e, "POST", "/api/coupons", `{"code":"WELCOME","percent":"10","duration":"once"}`),
	)
	product := as[Product](t, 201, b.ask(t, e, "POST", "/api/products", `{"name":"Pro"}`))
	metric := as[Metric](t, 201, b.ask(t, e, "POST", "/api/metrics",
		`{"name":"api_calls","aggregation":"sum","groupBy":["region"]}`))
	grant := as[CreditGrant](t, 201, b.ask(t, e, "POST", "/api/customers/"+sub.CustomerID+"/credit-grants",
		`{"currency":"USD","amount":5}`))
	method := as[PaymentMethod](t, 201, b.ask(t, e, "POST", "/api/customers/"+sub.CustomerID+"/payment-methods",
		cardOf("pm_9")))
	settings := b.ask(t, e, "PUT", "/api/email-settings",
		`{"from":{"email":"billing@example.com"},"host":"localhost","port":1,"kinds":[]}`)
	require.Equal(t, 200, settings.Status, "%s", settings.Body)
	mailed := as[Email](t, 201, b.ask(t, e, "POST", "/api/invoices/"+inv+"/send", nil))
	look := as[InvoiceTemplate](t, 201, b.ask(t, e, "POST", "/api/invoice-templates", `{}`))
	audited := as[httpkit.List[AuditEntry]](t, 200, b.ask(t, e, "GET", "/api/audit-log?limit=1", nil))
	return owned{
		creditGrant: grant.ID, paymentMethod: method.ID, auditEntry: audited.Data[0].ID,
		metric: metric.ID, taxRate: rate.ID, apiKey: key.ID, coupon: coupon.ID, product: product.ID,
		creditNote: b.newCreditNote(t, e, inv),
		provider:   backup.ID, dispute: b.newDispute(t, e, payment.ID),
		endpoint: endpoint.ID, delivery: logs.Data[0].ID,
		plan: sub.PlanID, customer: sub.CustomerID, subscription: sub.ID, payment: payment.ID,
		invoice: inv, clock: clock.ID, event: events.Data[0].ID, email: mailed.ID, invoiceTemplate: look.ID,
	}
}

// effects are rows without the audit log, which tells of calls that changed nothing too.
func (b *bench) effects(t testing.TB) map[string]int {
	t.Helper()
	rows := b.rows(t)
	delete(rows, "audit_log")
	return rows
}

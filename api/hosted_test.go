package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/id"
	"perennial/service/gateway"
)

// openInvoice writes an invoice of 15.02 USD that waits for its payer.
func (b *bench) openInvoice(t *testing.T, customerID string) Invoice {
	t.Helper()
	draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices",
		draftOf(customerID, map[string]any{"collectionMethod": "send_invoice", "netDays": 14})))
	require.Empty(t, draft.HostedURL)
	return as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+draft.ID+"/finalize", nil))
}

// sends sends the form of a page, as a browser does.
func (b *bench) sends(t *testing.T, path string, form url.Values) response {
	t.Helper()
	return b.serve(b.request(t, "POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded"))
}

func shown(t *testing.T, r response, status int) string {
	t.Helper()
	require.Equal(t, status, r.Status, "%s", r.Body)
	require.Equal(t, "text/html; charset=utf-8", r.Header.Get("Content-Type"))
	require.Equal(t, "no-referrer", r.Header.Get("Referrer-Policy"))
	require.Equal(t, "noindex", r.Header.Get("X-Robots-Tag"))
	require.Equal(t, "no-store", r.Header.Get("Cache-Control"))
	require.Contains(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'")
	require.NotContains(t, string(r.Body), "<script")
	return string(r.Body)
}

// Whoever has the link reads the invoice and pays it with the stored method, once, however often they press the button.
func TestHosted_PayWithTheStoredMethod(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config.PublicURL = "https://billing.example"
	b.Server = b.newServer(t)
	c := b.newCustomer(t, b.test)
	second := as[PaymentMethod](t, 201,
		b.ask(t, b.test, "POST", "/api/customers/"+c.ID+"/payment-methods", cardOf("pm_second"))).ID
	inv := b.openInvoice(t, c.ID)
	path, ok := strings.CutPrefix(inv.HostedURL, "https://billing.example")
	require.True(t, ok)

	page := shown(t, b.send(t, "GET", path, nil), 200)
	for _, said := range []string{"Invoice " + inv.NumberText, "$15.02", "Consulting", "Pay $15.02", second, c.DefaultMethod} {
		require.Contains(t, page, said)
	}
	require.NotContains(t, page, "pm_second", "tokens are the provider's")
	require.Contains(t, shown(t, b.send(t, "GET", path+"/html", nil), 200), "<h1>Invoice</h1>")

	require.Equal(t, inv.HostedURL+"/pdf", inv.PDFURL)
	paper := b.send(t, "GET", strings.TrimPrefix(inv.PDFURL, "https://billing.example"), nil)
	require.Equal(t, http.StatusOK, paper.Status)
	require.Equal(t, "application/pdf", paper.Header.Get("Content-Type"))
	require.True(t, strings.HasPrefix(string(paper.Body), "%PDF-"))

	form := url.Values{"method": {second}}
	for range 2 {
		r := b.sends(t, path+"/pay", form)
		require.Equal(t, http.StatusSeeOther, r.Status, "%s", r.Body)
		require.Equal(t, "../"+path[strings.LastIndex(path, "/")+1:], r.Header.Get("Location"))
	}
	attempts := b.attemptsOf(t, inv.ID)
	require.Len(t, attempts, 1)
	require.Equal(t, second, attempts[0].PaymentMethodID)
	page = shown(t, b.send(t, "GET", path, nil), 200)
	require.Contains(t, page, "being processed")
	require.Contains(t, page, `http-equiv="refresh"`)
	require.NotContains(t, page, "<form")

	b.askPayer(t, attempts[0].ID)
	page = shown(t, b.send(t, "GET", path, nil), 200)
	require.Contains(t, page, `href="https://billing.example/confirm/`+confirmToken)
	require.NotContains(t, b.log.String(), path[len("/invoice/"):])
}

func (b *bench) attemptsOf(t *testing.T, invoiceID string) []Payment {
	t.Helper()
	return as[struct{ Data []Payment }](t, 200, b.ask(t, b.test, "GET", "/api/payments?invoiceId="+invoiceID, nil)).Data
}

// A number is charged once and kept nowhere with the customer.
func TestHosted_PayByAnotherNumber(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		config := db.ProviderConfig{
			ID: id.New(id.ProviderConfig, b.clock()), Provider: "pawapay", AppID: b.test.appID, Keyset: b.keysets[b.test.appID],
		}
		sealed, err := gateway.Seal(b.keys, config, 1, gateway.Credentials{"apiToken": "token_good_0123456789"})
		require.NoError(t, err)
		config.Credentials = []db.SealedCredentials{sealed}
		return tx.Payments.InsertProviderConfig(ctx, b.test.environmentID, config)
	})
	c := b.newCustomer(t, b.test)
	draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", map[string]any{
		"customerId": c.ID, "currency": "XAF", "collectionMethod": "send_invoice", "netDays": 14,
		"lines": []any{map[string]any{"description": "Work", "amount": 5000}},
	}))
	inv := as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+draft.ID+"/finalize", nil))
	path := inv.HostedURL

	require.Contains(t, shown(t, b.send(t, "GET", path, nil), 200), `name="phone"`)
	wrong := shown(t, b.sends(t, path+"/pay", url.Values{"phone": {"12"}}), 422)
	require.Contains(t, wrong, "No operator can be asked for this number.")
	require.Contains(t, wrong, `action="../`)
	choose := shown(t, b.sends(t, path+"/pay", url.Values{"phone": {"+237 670-00-00-00"}}), 200)
	for _, said := range []string{"mobile_money_mtn", "mobile_money_orange", `value="&#43;237670000000"`} {
		require.Contains(t, choose, said)
	}
	require.Empty(t, b.attemptsOf(t, inv.ID), "the payer has to choose")
	for _, blank := range []string{"", " ", "-", "()"} {
		require.Equal(t, http.StatusSeeOther, b.sends(t, path+"/pay", url.Values{"phone": {blank}}).Status)
		require.Empty(t, b.attemptsOf(t, inv.ID), "%q is no choice of the stored card", blank)
	}
	r := b.sends(t, path+"/pay", url.Values{"phone": {"+237670000000"}, "wallet": {"mobile_money_mtn"}})
	require.Equal(t, http.StatusSeeOther, r.Status, "%s", r.Body)
	require.Len(t, b.attemptsOf(t, inv.ID), 1)
	require.Empty(t, b.attemptsOf(t, inv.ID)[0].PaymentMethodID)
	require.Contains(t, shown(t, b.send(t, "GET", path, nil), 200), "on your phone")
	require.Equal(t, c.DefaultMethod, as[Customer](t, 200, b.ask(t, b.test, "GET", "/api/customers/"+c.ID, nil)).DefaultMethod)
}

// A link that opens nothing looks the same, whatever is wrong with it.
func TestHosted_UnknownLinks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	c := b.newCustomer(t, b.test)
	inv, other := b.openInvoice(t, c.ID), b.openInvoice(t, c.ID)
	token, others := inv.HostedURL[len("/invoice/"):], other.HostedURL[len("/invoice/"):]
	want := shown(t, b.send(t, "GET", "/invoice/x", nil), 404)
	require.Contains(t, want, "This link does not exist")
	flipped := token[:83] + map[bool]string{true: "b", false: "a"}[token[83] == 'a']
	renewed := as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+other.ID+"/renew-link", nil)).HostedURL
	require.NotEqual(t, other.HostedURL, renewed)
	shown(t, b.send(t, "GET", renewed, nil), 200)
	require.Equal(t, renewed, as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+other.ID, nil)).HostedURL)
	for name, unknown := range map[string]string{
		"another code": flipped, "short": token[1:], "long": token + "a", "capitals": strings.ToUpper(token),
		"another invoice's code": token[:52] + others[52:], "another environment": others[1:26] + "0" + token[26:],
		"a renewed link": others, "zeros": strings.Repeat("0", 84), "null": "%00" + token[1:],
	} {
		for _, end := range []string{"", "/html", "/pdf"} {
			require.Equal(t, want, shown(t, b.send(t, "GET", "/invoice/"+unknown+end, nil), 404), name)
		}
		require.Equal(t, want, shown(t, b.sends(t, "/invoice/"+unknown+"/pay", url.Values{}), 404), name)
	}
	require.Empty(t, b.attemptsOf(t, other.ID))
	german := b.serve(b.request(t, "GET", "/invoice/x", nil, "Accept-Language", "de-AT,en;q=0.5"))
	require.Contains(t, shown(t, german, 404), "Diesen Link gibt es nicht")

	as[Deleted](t, 200, b.ask(t, b.test, "DELETE", "/api/customers/"+c.ID, nil))
	require.Equal(t, want, shown(t, b.send(t, "GET", inv.HostedURL, nil), 404), "a deleted customer's")
}

// What is closed asks for nothing, and its link ends when the environment says so.
func TestHosted_EndsWithTheInvoice(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	inv := b.openInvoice(t, b.newCustomer(t, b.test).ID)
	as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+inv.ID+"/void", nil))
	page := shown(t, b.send(t, "GET", inv.HostedURL, nil), 200)
	require.Contains(t, page, "Nothing is to be paid.")
	require.NotContains(t, page, "<form")
	require.Equal(t, http.StatusSeeOther, b.sends(t, inv.HostedURL+"/pay", url.Values{}).Status)
	require.Empty(t, b.attemptsOf(t, inv.ID))

	require.Equal(t, 1, as[Settings](t, 200,
		b.ask(t, b.test, "PATCH", "/api/settings", map[string]any{"invoiceLinkDays": 1})).InvoiceLinkDays)
	shown(t, b.send(t, "GET", inv.HostedURL, nil), 200)
	b.elapsed.Add((25 * time.Hour).Milliseconds())
	page = shown(t, b.send(t, "GET", inv.HostedURL, nil), 200)
	require.Contains(t, page, "This link has expired.")
	require.NotContains(t, page, "Consulting")
	shown(t, b.send(t, "GET", inv.HostedURL+"/html", nil), 404)
	problem(t, 422, "out_of_range", "invoiceLinkDays",
		b.ask(t, b.test, "PATCH", "/api/settings", map[string]any{"invoiceLinkDays": 4000}))
	draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", draftOf(b.newCustomer(t, b.test).ID, nil)))
	problem(t, 409, "invoice_is_draft", "", b.ask(t, b.test, "POST", "/api/invoices/"+draft.ID+"/renew-link", nil))
}

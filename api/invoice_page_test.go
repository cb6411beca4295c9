package api

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// page reads a page of the API.
func (b *bench) page(t *testing.T, path string) string {
	t.Helper()
	r := b.ask(t, b.test, "GET", path, nil)
	require.Equal(t, http.StatusOK, r.Status, "%s", r.Body)
	require.Equal(t, "text/html; charset=utf-8", r.Header.Get("Content-Type"))
	require.Contains(t, r.Header.Get("Content-Security-Policy"), "default-src 'none'")
	return string(r.Body)
}

func TestPages_OfAnInvoiceAndItsCreditNote(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, in, _ := b.paidInvoice(t)
	inv := as[Invoice](t, 200, b.ask(t, b.test, "GET", "/api/invoices/"+in, nil))
	note := as[CreditNote](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/credit-notes",
		map[string]any{"amount": 400, "reason": "goodwill", "memo": "<b>Sorry</b>"}))

	page := b.page(t, "/api/invoices/"+in+"/html")
	for _, said := range []string{"<h1>Invoice</h1>", inv.NumberText, inv.Lines[0].Description, "$19.00", "Paid"} {
		require.Contains(t, page, said)
	}
	page = b.page(t, "/v1/credit-notes/"+note.ID+"/html")
	for _, said := range []string{"<h1>Credit note</h1>", inv.NumberText, "$4.00", "Added to your balance", "&lt;b&gt;Sorry"} {
		require.Contains(t, page, said)
	}
	problem(t, 404, "invoice_not_found", "", b.ask(t, b.test, "GET", "/api/invoices/"+absent(b.clock()).invoice+"/html", nil))
}

func TestPages_OfADraft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	customer := b.newCustomer(t, b.test)
	draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", map[string]any{
		"customerId": customer.ID, "currency": "EUR", "lines": []any{map[string]any{"description": "Work", "amount": 5000}},
	}))
	page := b.page(t, "/api/invoices/"+draft.ID+"/html")
	require.Contains(t, page, `state-draft">Draft`)
}

func (b *bench) file(t *testing.T, path, media string) []byte {
	t.Helper()
	r := b.ask(t, b.test, "GET", path, nil)
	require.Equal(t, http.StatusOK, r.Status, "%s", r.Body)
	require.Equal(t, media, r.Header.Get("Content-Type"))
	require.Contains(t, r.Header.Get("Content-Disposition"), `inline; filename="`)
	return r.Body
}

func TestFiles_OfAnInvoiceItsReceiptAndItsCreditNote(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, in, payment := b.paidInvoice(t)
	note := as[CreditNote](t, 201, b.ask(t, b.test, "POST", "/api/invoices/"+in+"/credit-notes",
		map[string]any{"amount": 400, "reason": "goodwill"}))
	for _, path := range []string{"/api/invoices/" + in, "/v1/credit-notes/" + note.ID, "/api/payments/" + payment + "/receipt"} {
		drawn := b.file(t, path+"/pdf", "application/pdf")
		require.True(t, bytes.HasPrefix(drawn, []byte("%PDF-1.7")))
		require.Equal(t, drawn, b.file(t, path+"/pdf", "application/pdf"), "the same bytes each time")
	}
	page := b.page(t, "/api/payments/"+payment+"/receipt/html")
	for _, said := range []string{"<h1>Receipt</h1>", payment, "$19.00", "Payment method"} {
		require.Contains(t, page, said)
	}
	problem(t, 422, "einvoice_data_missing", "seller.name", b.ask(t, b.test, "GET", "/api/invoices/"+in+"/xml", nil))
}

func TestXML_NeedsSellerAndBuyer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Equal(t, 200, b.ask(t, b.test, "PATCH", "/api/settings", map[string]any{
		"seller": map[string]any{"name": "Perennial GmbH", "country": "DE", "taxId": "DE136695976"},
	}).Status)
	customer := b.newCustomer(t, b.test)
	require.Equal(t, 200, b.ask(t, b.test, "PATCH", "/api/customers/"+customer.ID, map[string]any{
		"name": "Søn ApS", "country": "DK",
	}).Status)
	draft := as[Invoice](t, 201, b.ask(t, b.test, "POST", "/api/invoices", map[string]any{
		"customerId": customer.ID, "currency": "EUR", "lines": []any{map[string]any{"description": "Work", "amount": 5000}},
	}))
	problem(t, 422, "einvoice_unsupported", "status", b.ask(t, b.test, "GET", "/api/invoices/"+draft.ID+"/xml", nil))
	as[Invoice](t, 200, b.ask(t, b.test, "POST", "/api/invoices/"+draft.ID+"/finalize", nil))
	require.Contains(t, string(b.file(t, "/api/invoices/"+draft.ID+"/xml", "application/xml")), "<ram:Name>Søn ApS</ram:Name>")
}

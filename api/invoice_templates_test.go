package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

// lookForm is a template with a logo of one pixel.
func lookForm(t testing.TB, more map[string]any) string {
	t.Helper()
	form := map[string]any{
		"accentColor": "#0a5c8e",
		"logo": map[string]any{
			"type": "image/png",
			"data": "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAAEklEQVR4nGJiYGBiYAAEAAD//wAYAAV4jI74AAAAAElFTkSuQmCC",
		},
		"texts": map[string]any{"default": map[string]any{"footer": "Registered in England 1234567"}},
	}
	for name, v := range more {
		form[name] = v
	}
	written, err := json.Marshal(form)
	require.NoError(t, err)
	return string(written)
}

// An environment's documents look as its published template says, from the first drawing on.
func TestInvoiceTemplates_PublishAndRollBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	page := func(invoice string) string {
		a := b.ask(t, b.test, "GET", "/api/invoices/"+invoice+"/html", nil)
		require.Equal(t, 200, a.Status, "%s", a.Body)
		require.Contains(t, a.Header.Get("Content-Security-Policy"), "img-src data:")
		return string(a.Body)
	}
	before := b.newInvoice(t, b.test, b.newSubscription(t, b.test).ID)
	after := b.newInvoice(t, b.test, b.newSubscription(t, b.test).ID)
	require.NotContains(t, page(before), "Registered")

	first := as[InvoiceTemplate](t, 201, b.ask(t, b.test, "POST", "/api/invoice-templates", lookForm(t, nil)))
	require.Equal(t, 1, first.Version)
	require.True(t, first.BuiltIn)
	require.False(t, first.Published)
	second := as[InvoiceTemplate](t, 201, b.ask(t, b.test, "POST", "/api/invoice-templates",
		lookForm(t, map[string]any{"texts": map[string]any{"default": map[string]any{"invoiceTitle": "Tax invoice"}}, "publish": true})))
	require.Equal(t, 2, second.Version)
	require.True(t, second.Published)
	listed := as[httpkit.List[InvoiceTemplate]](t, 200, b.ask(t, b.test, "GET", "/api/invoice-templates", nil))
	require.Equal(t, []string{second.ID, first.ID}, []string{listed.Data[0].ID, listed.Data[1].ID})
	require.Empty(t, listed.Data[0].Texts)
	require.Equal(t, second, as[InvoiceTemplate](t, 200, b.ask(t, b.test, "GET", "/api/invoice-templates/"+second.ID, nil)))

	require.NotContains(t, page(before), "Tax invoice", "it was drawn by the built-in template")
	require.Contains(t, page(after), "<h1>Tax invoice")
	rolled := as[InvoiceTemplate](t, 200, b.ask(t, b.test, "POST", "/api/invoice-templates/"+first.ID+"/publish", nil))
	require.True(t, rolled.Published)
	require.Contains(t, page(after), "<h1>Tax invoice", "it keeps its template")
	pdf := b.ask(t, b.test, "GET", "/api/invoices/"+after+"/pdf", nil)
	require.Equal(t, 200, pdf.Status)
	require.True(t, strings.HasPrefix(string(pdf.Body), "%PDF-1.7"))

	problem(t, 409, "invoice_template_used", "", b.ask(t, b.test, "DELETE", "/api/invoice-templates/"+first.ID, nil))
	problem(t, 409, "invoice_template_used", "", b.ask(t, b.test, "DELETE", "/api/invoice-templates/"+second.ID, nil))
	gone := as[InvoiceTemplate](t, 200, b.ask(t, b.test, "POST", "/api/invoice-templates/"+first.ID+"/unpublish", nil))
	require.False(t, gone.Published)
	require.Equal(t, 200, b.ask(t, b.test, "DELETE", "/api/invoice-templates/"+first.ID, nil).Status)
	problem(t, 404, "invoice_template_not_found", "", b.ask(t, b.test, "GET", "/api/invoice-templates/"+first.ID, nil))
}

// A template is looked at before it is saved, with a sample or an invoice, and nothing is kept.
func TestInvoiceTemplates_Preview(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	inv := b.newInvoice(t, b.test, b.newSubscription(t, b.test).ID)
	rows := b.effects(t)
	sample := b.ask(t, b.test, "POST", "/api/invoice-templates/preview", lookForm(t, map[string]any{"locale": "de", "sample": "receipt"}))
	require.Equal(t, 200, sample.Status, "%s", sample.Body)
	require.Contains(t, string(sample.Body), "Registered in England")
	require.Contains(t, string(sample.Body), `lang="de"`)
	require.Contains(t, string(sample.Body), `src="data:image/png;base64,`)
	of := b.ask(t, b.test, "POST", "/api/invoice-templates/preview", lookForm(t, map[string]any{"documentId": inv}))
	require.Equal(t, 200, of.Status, "%s", of.Body)
	require.NotContains(t, string(of.Body), "2026-0042", "the number of the sample")
	pdf := b.ask(t, b.test, "POST", "/api/invoice-templates/preview/pdf", lookForm(t, nil))
	require.Equal(t, 200, pdf.Status)
	require.True(t, strings.HasPrefix(string(pdf.Body), "%PDF-1.7"))
	require.Equal(t, rows, b.effects(t))

	for form, want := range map[string][2]string{
		`{"source":"<html></html>"}`:                                             {"template_layout_unsupported", "source"},
		`{"accentColor":"teal"}`:                                                 {"color_malformed", "accentColor"},
		`{"logo":{"type":"image/png","data":"AAAA"}}`:                            {"logo_invalid", "logo.data"},
		`{"texts":{"de":{"a b":"x"}}}`:                                           {"template_texts_invalid", "texts.de"},
		`{"documentId":"sub_01jcz6dyqx4w9s1c2k7v5h8m3n"}`:                        {"document_unknown", "documentId"},
		`{"templateId":"it_01jcz6dyqx4w9s1c2k7v5h8m3n","accentColor":"#0a5c8e"}`: {"template_given_twice", "templateId"},
	} {
		problem(t, 422, want[0], want[1], b.ask(t, b.test, "POST", "/api/invoice-templates/preview", form))
	}
	for form, code := range map[string]string{
		`{"templateId":"it_01jcz6dyqx4w9s1c2k7v5h8m3n"}`: "invoice_template_not_found",
		`{"documentId":"in_01jcz6dyqx4w9s1c2k7v5h8m3n"}`: "invoice_not_found",
		`{"documentId":"cn_01jcz6dyqx4w9s1c2k7v5h8m3n"}`: "credit_note_not_found",
	} {
		a := b.ask(t, b.test, "POST", "/api/invoice-templates/preview", form)
		require.Contains(t, string(a.Body), code, form)
		require.Less(t, a.Status, 500)
	}
	problem(t, 422, "template_layout_unsupported", "source",
		b.ask(t, b.test, "POST", "/api/invoice-templates", `{"source":"<html></html>"}`))
}

package invoices

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/creditnote"
	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/db"
	"perennial/documents"
	"perennial/internal/id"
)

func (h *Handler) invoicePage(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) ([]byte, error) {
	return documents.HTML(document.OfInvoice(httpkit.Resource[invoice.Invoice](c)), "", c.TimeZone)
}

func (h *Handler) creditNotePage(ctx context.Context, c *httpkit.Call, _ *httpkit.ByID) ([]byte, error) {
	note := httpkit.Resource[creditnote.Note](c)
	of, err := h.store.Invoices.Get(ctx, c.EnvironmentID, note.InvoiceID)
	if err != nil {
		return nil, err
	}
	return documents.HTML(document.OfCreditNote(note, of), "", c.TimeZone)
}

// pageNote is what both pages have in common, for the document of the API.
const pageNote = " It is made of what was frozen at issue, in the language and the time zone of the buyer, is whole in itself " +
	"and has no script. Languages: English, German, French, Spanish, Portuguese, Italian, Dutch, Swahili, Arabic; English for any " +
	"other. PDF is not available yet: print the page."

func (h *Handler) pageOperations() {
	httpkit.RegisterPage(h.kit, httpkit.Operation{
		Name: "getInvoicePage", Method: http.MethodGet, Path: "/invoices/{id}/html", Tag: "Invoices",
		Summary:     "Get an invoice as a page",
		Description: "The invoice as its buyer reads it." + pageNote + " A draft says that it is one.",
		Status:      http.StatusOK, Access: httpkit.ReadAccess, Response: "<!doctype html>…",
		Load: httpkit.LoadByID(h.kit, id.Invoice, db.ErrInvoiceNotFound, h.store.Invoices.GetWithKey),
	}, h.invoicePage)
	httpkit.RegisterPage(h.kit, httpkit.Operation{
		Name: "getCreditNotePage", Method: http.MethodGet, Path: "/credit-notes/{id}/html", Tag: "Credit notes",
		Summary:     "Get a credit note as a page",
		Description: "The credit note as its buyer reads it." + pageNote,
		Status:      http.StatusOK, Access: httpkit.ReadAccess, Response: "<!doctype html>…",
		Load: httpkit.LoadByID(h.kit, id.CreditNote, db.ErrCreditNoteNotFound, h.store.Invoices.CreditNoteWithKey),
	}, h.creditNotePage)
}

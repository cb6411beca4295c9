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

func (h *Handler) creditNoteDocument(ctx context.Context, c *httpkit.Call) (document.Document, error) {
	note := httpkit.Resource[creditnote.Note](c)
	of, err := h.store.Invoices.Get(ctx, c.EnvironmentID, note.InvoiceID)
	return document.OfCreditNote(note, of), err
}

func (h *Handler) invoicePage(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) ([]byte, error) {
	return documents.HTML(document.OfInvoice(httpkit.Resource[invoice.Invoice](c)), "", c.TimeZone)
}

func (h *Handler) creditNotePage(ctx context.Context, c *httpkit.Call, _ *httpkit.ByID) ([]byte, error) {
	d, err := h.creditNoteDocument(ctx, c)
	if err != nil {
		return nil, err
	}
	return documents.HTML(d, "", c.TimeZone)
}

func (h *Handler) receiptPage(ctx context.Context, c *httpkit.Call, _ *httpkit.ByID) ([]byte, error) {
	d, err := h.receiptDocument(ctx, c)
	if err != nil {
		return nil, err
	}
	return documents.HTML(d, "", c.TimeZone)
}

// What the forms of documents have in common, for the document of the API.
const (
	pageNote = " It has the data of the issue and the present state, in the language and the time zone of the buyer, is whole in itself " +
		"and has no script. Languages: English, German, French, Spanish, Portuguese, Italian, Dutch, Swahili, Arabic; English " +
		"for any other."
	receiptNote = " Charges with the status success have one, which lists what was refunded. It shows what the invoice that was " +
		"paid bills, and of a charge without an invoice the present seller and customer."
)

func (h *Handler) loadInvoice() httpkit.Loader {
	return httpkit.LoadByID(h.kit, id.Invoice, db.ErrInvoiceNotFound, h.store.Invoices.GetWithKey)
}

func (h *Handler) loadCreditNote() httpkit.Loader {
	return httpkit.LoadByID(h.kit, id.CreditNote, db.ErrCreditNoteNotFound, h.store.Invoices.CreditNoteWithKey)
}

func (h *Handler) loadPayment() httpkit.Loader {
	return httpkit.LoadByID(h.kit, id.Transaction, db.ErrTransactionNotFound, h.store.Payments.TransactionWithKey)
}

func (h *Handler) pageOperations() {
	httpkit.RegisterPage(h.kit, httpkit.Operation{
		Name: "getInvoicePage", Method: http.MethodGet, Path: "/invoices/{id}/html", Tag: "Invoices",
		Summary:     "Get an invoice as a page",
		Description: "The invoice as its buyer reads it." + pageNote + " A draft says that it is one.",
		Status:      http.StatusOK, Access: httpkit.ReadAccess, Response: "<!doctype html>…", Load: h.loadInvoice(),
	}, h.invoicePage)
	httpkit.RegisterPage(h.kit, httpkit.Operation{
		Name: "getCreditNotePage", Method: http.MethodGet, Path: "/credit-notes/{id}/html", Tag: "Credit notes",
		Summary:     "Get a credit note as a page",
		Description: "The credit note as its buyer reads it." + pageNote,
		Status:      http.StatusOK, Access: httpkit.ReadAccess, Response: "<!doctype html>…", Load: h.loadCreditNote(),
	}, h.creditNotePage)
	httpkit.RegisterPage(h.kit, httpkit.Operation{
		Name: "getReceiptPage", Method: http.MethodGet, Path: "/payments/{id}/receipt/html", Tag: "Payments",
		Summary:     "Get the receipt of a payment as a page",
		Description: "The receipt as the payer reads it." + pageNote + receiptNote,
		Status:      http.StatusOK, Access: httpkit.ReadAccess, Response: "<!doctype html>…", Load: h.loadPayment(),
	}, h.receiptPage)
}

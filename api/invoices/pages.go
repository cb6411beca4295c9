package invoices

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/creditnote"
	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/documents/drawing"
	"perennial/internal/id"
)

// shown is a document and whose it is.
type shown struct {
	document.Document

	customerID string
}

func (h *Handler) draw(ctx context.Context, c *httpkit.Call, d shown, form document.Form) ([]byte, error) {
	of := drawing.Owner{EnvironmentID: c.EnvironmentID, CustomerID: d.customerID, TimeZone: c.TimeZone}
	return h.drawer.Draw(ctx, of, d.Document, form)
}

func shownInvoice(c *httpkit.Call) shown {
	of := httpkit.Resource[invoice.Invoice](c)
	return shown{document.OfInvoice(of), of.CustomerID}
}

func (h *Handler) shownCreditNote(ctx context.Context, c *httpkit.Call) (shown, error) {
	note := httpkit.Resource[creditnote.Note](c)
	d, err := db.CreditNoteDocument(ctx, h.store.Reader, c.EnvironmentID, note)
	return shown{d, note.CustomerID}, err
}

func (h *Handler) shownReceipt(ctx context.Context, c *httpkit.Call) (shown, error) {
	charge := httpkit.Resource[payment.Transaction](c)
	d, err := db.ReceiptDocument(ctx, h.store.Reader, c.EnvironmentID, charge)
	return shown{d, charge.CustomerID}, err
}

func (h *Handler) invoicePage(ctx context.Context, c *httpkit.Call, _ *httpkit.ByID) ([]byte, error) {
	return h.draw(ctx, c, shownInvoice(c), document.Page)
}

func (h *Handler) creditNotePage(ctx context.Context, c *httpkit.Call, _ *httpkit.ByID) ([]byte, error) {
	d, err := h.shownCreditNote(ctx, c)
	if err != nil {
		return nil, err
	}
	return h.draw(ctx, c, d, document.Page)
}

func (h *Handler) receiptPage(ctx context.Context, c *httpkit.Call, _ *httpkit.ByID) ([]byte, error) {
	d, err := h.shownReceipt(ctx, c)
	if err != nil {
		return nil, err
	}
	return h.draw(ctx, c, d, document.Page)
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

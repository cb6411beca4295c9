package invoices

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/document"
	"perennial/documents"
)

const (
	pdfType = "application/pdf"
	xmlType = "application/xml"
)

func (h *Handler) invoicePDF(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (name string, body []byte, err error) {
	return h.pdf(ctx, c, shownInvoice(c))
}

func (h *Handler) creditNotePDF(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (name string, body []byte, err error) {
	d, err := h.shownCreditNote(ctx, c)
	if err != nil {
		return "", nil, err
	}
	return h.pdf(ctx, c, d)
}

func (h *Handler) receiptPDF(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (name string, body []byte, err error) {
	d, err := h.shownReceipt(ctx, c)
	if err != nil {
		return "", nil, err
	}
	return h.pdf(ctx, c, d)
}

func (h *Handler) pdf(ctx context.Context, c *httpkit.Call, d shown) (name string, body []byte, err error) {
	body, err = h.draw(ctx, c, d, document.Paper)
	return documents.FileName(d.Document) + ".pdf", body, err
}

func xml(c *httpkit.Call, d document.Document) (name string, body []byte, err error) {
	body, err = documents.XML(d, "", c.TimeZone)
	return documents.FileName(d) + ".xml", body, err
}

func (h *Handler) invoiceXML(
	_ context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (name string, body []byte, err error) {
	return xml(c, shownInvoice(c).Document)
}

func (h *Handler) creditNoteXML(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (name string, body []byte, err error) {
	d, err := h.shownCreditNote(ctx, c)
	if err != nil {
		return "", nil, err
	}
	return xml(c, d.Document)
}

const (
	pdfNote = " It says the same as the page: PDF/A-3A, tagged, with embedded fonts, and the same bytes as long as " +
		"nothing of it changes, such as its state or its amount due."
	xmlNote = " Syntax: UN/CEFACT CII by EN 16931, as in Factur-X and ZUGFeRD; the PDF has the same XML within. Refused with " +
		"einvoice_data_missing, which names the field, where the data of seller or buyer are not enough, and with " +
		"einvoice_unsupported where the standard has no form for it."
)

func (h *Handler) fileOperations() {
	httpkit.RegisterFile(h.kit, httpkit.Operation{
		Name: "getInvoicePDF", Method: http.MethodGet, Path: "/invoices/{id}/pdf", Tag: "Invoices",
		Summary: "Get an invoice as a PDF", Description: "The invoice as its buyer files it." + pdfNote + " A draft says that it is one.",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: "%PDF-1.7…", Load: h.loadInvoice(),
	}, pdfType, h.invoicePDF)
	httpkit.RegisterFile(h.kit, httpkit.Operation{
		Name: "getCreditNotePDF", Method: http.MethodGet, Path: "/credit-notes/{id}/pdf", Tag: "Credit notes",
		Summary: "Get a credit note as a PDF", Description: "The credit note as its buyer files it." + pdfNote,
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: "%PDF-1.7…", Load: h.loadCreditNote(),
	}, pdfType, h.creditNotePDF)
	httpkit.RegisterFile(h.kit, httpkit.Operation{
		Name: "getReceiptPDF", Method: http.MethodGet, Path: "/payments/{id}/receipt/pdf", Tag: "Payments",
		Summary: "Get the receipt of a payment as a PDF", Description: "The receipt as the payer files it." + pdfNote + receiptNote,
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: "%PDF-1.7…", Load: h.loadPayment(),
	}, pdfType, h.receiptPDF)
	httpkit.RegisterFile(h.kit, httpkit.Operation{
		Name: "getInvoiceXML", Method: http.MethodGet, Path: "/invoices/{id}/xml", Tag: "Invoices",
		Summary: "Get an invoice as an e-invoice", Description: "The invoice as an accounting system reads it." + xmlNote,
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: "<rsm:CrossIndustryInvoice>…", Load: h.loadInvoice(),
	}, xmlType, h.invoiceXML)
	httpkit.RegisterFile(h.kit, httpkit.Operation{
		Name: "getCreditNoteXML", Method: http.MethodGet, Path: "/credit-notes/{id}/xml", Tag: "Credit notes",
		Summary: "Get a credit note as an e-invoice", Description: "The credit note as an accounting system reads it." + xmlNote,
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: "<rsm:CrossIndustryInvoice>…", Load: h.loadCreditNote(),
	}, xmlType, h.creditNoteXML)
}

package templates

import (
	"cmp"
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/document"
	"perennial/billing/fault"
	"perennial/documents"
	"perennial/service/templates"
)

// InvoiceTemplatePreview asks for a document by a template. Nothing is kept.
type InvoiceTemplatePreview struct {
	Look
	TemplateID string `json:"templateId,omitempty" maxLength:"40" example:"it_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"A saved template, in place of the other fields of the look."`
	DocumentID string `json:"documentId,omitempty" maxLength:"40" example:"in_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"An invoice or a credit note. Default: a sample."`
	Sample     string `json:"sample,omitempty" enum:"invoice,credit_note,receipt" example:"invoice" doc:"The kind of the sample. Default: invoice."`
	Locale     string `json:"locale,omitempty" maxLength:"35" example:"de" doc:"The language of the sample, as a BCP 47 tag. Default: en."`
}

type previewInput struct{ Body InvoiceTemplatePreview }

var errTwoLooks = fault.InvalidParam("templateId", "template_given_twice",
	"`templateId` names a saved template, and the request has a look besides. Send one of them.")

func (h *Handler) preview(
	ctx context.Context, c *httpkit.Call, in *previewInput, form document.Form,
) (document.Document, []byte, error) {
	f := in.Body
	if f.TemplateID != "" && (f.Source != "" || f.AccentColor != "" || f.Logo != nil || f.Texts != nil) {
		return document.Document{}, nil, errTwoLooks
	}
	return h.service.Preview(ctx, usecase.Caller(c), templates.Preview{
		TemplateID: f.TemplateID, Template: f.template(), DocumentID: f.DocumentID,
		Sample: document.Kind(cmp.Or(f.Sample, string(document.Invoice))), Locale: cmp.Or(f.Locale, "en"), Form: form,
		Fonts: h.fonts,
	})
}

func (h *Handler) previewPage(ctx context.Context, c *httpkit.Call, in *previewInput) ([]byte, error) {
	_, page, err := h.preview(ctx, c, in, document.Page)
	return page, err
}

func (h *Handler) previewPDF(
	ctx context.Context, c *httpkit.Call, in *previewInput,
) (name string, body []byte, err error) {
	d, body, err := h.preview(ctx, c, in, document.Paper)
	return documents.FileName(d) + ".pdf", body, err
}

const previewNote = " By a template that need not be saved, or by a saved one; of a sample with the environment's seller, or of an " +
	"invoice or credit note. Nothing is kept."

func (h *Handler) previewOperations() {
	request := InvoiceTemplatePreview{Look: Look{AccentColor: "#0a5c8e"}, Sample: "invoice", Locale: "de"}
	httpkit.RegisterPage(h.kit, httpkit.Operation{
		Name: "previewInvoiceTemplate", Method: http.MethodPost, Path: "/invoice-templates/preview", Tag: tag,
		Summary: "Preview an invoice template as a page", Description: "Draws a document." + previewNote,
		Status: http.StatusOK, Access: httpkit.WriteAccess, Response: "<!doctype html>…", Request: request,
	}, h.previewPage)
	httpkit.RegisterFile(h.kit, httpkit.Operation{
		Name: "previewInvoiceTemplatePDF", Method: http.MethodPost, Path: "/invoice-templates/preview/pdf", Tag: tag,
		Summary: "Preview an invoice template as a PDF", Description: "Draws a document." + previewNote,
		Status: http.StatusOK, Access: httpkit.WriteAccess, Response: "%PDF-1.7…", Request: request,
	}, "application/pdf", h.previewPDF)
}

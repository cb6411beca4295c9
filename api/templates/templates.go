package templates

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/document"
	"perennial/db"
	"perennial/internal/id"
)

// InvoiceTemplate is a version of how an environment's invoices, credit notes and receipts look. It never changes.
type InvoiceTemplate struct {
	ID          string                       `json:"id" example:"it_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Object      string                       `json:"object" enum:"invoice_template" example:"invoice_template"`
	Version     int                          `json:"version" example:"3" doc:"From 1, in the order in which they were made."`
	Published   bool                         `json:"published" doc:"Whether documents that are drawn for the first time are drawn by it."`
	PublishedAt int64                        `json:"publishedAt,omitempty" example:"1763640000" doc:"The last time, in Unix seconds. Absent: never."`
	BuiltIn     bool                         `json:"builtInLayout" doc:"The layout is the built-in one, with logo, colour and texts of one's own."`
	AccentColor string                       `json:"accentColor,omitempty" example:"#0a5c8e" doc:"Of titles and headlines. Absent: the layout's."`
	Logo        *Logo                        `json:"logo,omitempty" doc:"Absent: there is none, or this is an entry of a list."`
	Texts       map[string]map[string]string `json:"texts,omitempty" doc:"By language, or default, and by name. Absent: there are none, or this is an entry of a list."`
	Failure     *Failure                     `json:"failure,omitempty" doc:"The last document since it was published that could not be drawn by it, and was drawn by the built-in template instead."`
	CreatedAt   int64                        `json:"createdAt" example:"1763640000" doc:"Unix seconds."`
}

// Logo is the picture at the top of documents.
type Logo struct {
	Type string `json:"type" enum:"image/png,image/jpeg" example:"image/png"`
	Data []byte `json:"data" doc:"The picture in base64, at most 128 KiB and 2000 × 2000 pixels."`
}

// Failure says which document could not be drawn, and why.
type Failure struct {
	At         int64  `json:"at" example:"1763640000" doc:"Unix seconds."`
	DocumentID string `json:"documentId" example:"in_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"An invoice, a credit note, or the payment of a receipt."`
	Detail     string `json:"detail" example:"No document can be drawn by the template: line 12: the template writes too much." doc:"What is wrong with the template."`
}

// Look is how documents look.
type Look struct {
	Source      string                       `json:"source,omitempty" maxLength:"131072" example:"<!doctype html>…" doc:"A layout of your own: not taken yet, and refused with template_layout_unsupported. Omit it: the layout is the built-in one."`
	AccentColor string                       `json:"accentColor,omitempty" maxLength:"7" example:"#0a5c8e" doc:"Of titles and headlines: # and six hexadecimal digits. Default: the layout's."`
	Logo        *Logo                        `json:"logo,omitempty" doc:"Default: none; the name of the seller is shown."`
	Texts       map[string]map[string]string `json:"texts,omitempty" example:"{\"default\":{\"footer\":\"Acme Ltd, Registered in England 1234567\"},\"de\":{\"invoiceTitle\":\"Rechnung\"}}" doc:"By language tag, or default for languages without texts of their own, and by name. The built-in layout shows footer, and invoiceTitle, creditNoteTitle and receiptTitle in place of its own titles."`
}

// template returns what the rules know of the look.
func (l Look) template() document.Template {
	t := document.Template{Source: l.Source, Accent: l.AccentColor, Texts: l.Texts}
	if l.Logo != nil {
		t.Logo = document.Logo{Type: l.Logo.Type, Content: l.Logo.Data}
	}
	return t
}

func render(t db.InvoiceTemplate) InvoiceTemplate {
	out := InvoiceTemplate{
		ID: t.ID, Object: "invoice_template", Version: t.Version, Published: t.Published, PublishedAt: view.Unix(t.PublishedAt),
		BuiltIn: t.BuiltIn, AccentColor: t.Accent, Texts: t.Texts, CreatedAt: view.Unix(t.CreatedAt),
	}
	if len(t.Logo.Content) > 0 {
		out.Logo = &Logo{Type: t.Logo.Type, Data: t.Logo.Content}
	}
	if f := t.Failure; !f.At.IsZero() {
		out.Failure = &Failure{At: view.Unix(f.At), DocumentID: f.DocumentID, Detail: f.Words}
	}
	return out
}

func made(t db.InvoiceTemplate) httpkit.Made[InvoiceTemplate] {
	return httpkit.Made[InvoiceTemplate]{Resource: render(t)}
}

// InvoiceTemplateForm saves a template.
type InvoiceTemplateForm struct {
	Look
	Publish bool `json:"publish,omitempty" doc:"true: documents that are drawn for the first time are drawn by it from now on."`
}

type createInput struct{ Body InvoiceTemplateForm }

func (h *Handler) create(
	ctx context.Context, c *httpkit.Call, in *createInput,
) (*httpkit.Reply[InvoiceTemplate], error) {
	return usecase.Command(ctx, h.kit, c, http.StatusCreated, made, func(around usecase.Around[db.InvoiceTemplate]) error {
		return h.service.Save(ctx, usecase.Caller(c), in.Body.template(), in.Body.Publish, around)
	})
}

func (h *Handler) get(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[InvoiceTemplate], error) {
	return httpkit.OK(render(httpkit.Resource[db.InvoiceTemplate](c))), nil
}

type listInput struct{ httpkit.Page }

func (h *Handler) list(
	ctx context.Context, c *httpkit.Call, in *listInput,
) (*httpkit.Reply[httpkit.List[InvoiceTemplate]], error) {
	page, err := in.DB(id.InvoiceTemplate)
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Templates.List(ctx, c.EnvironmentID, page)
	return httpkit.ListOf(rows, more, err, render)
}

type actionInput struct {
	httpkit.ByID
	Body *view.Empty
}

func (h *Handler) publish(
	ctx context.Context, c *httpkit.Call, in *actionInput,
) (*httpkit.Reply[InvoiceTemplate], error) {
	return usecase.Command(ctx, h.kit, c, http.StatusOK, made, func(around usecase.Around[db.InvoiceTemplate]) error {
		return h.service.Publish(ctx, usecase.Caller(c), in.ID, around)
	})
}

func (h *Handler) unpublish(
	ctx context.Context, c *httpkit.Call, in *actionInput,
) (*httpkit.Reply[InvoiceTemplate], error) {
	return usecase.Command(ctx, h.kit, c, http.StatusOK, made, func(around usecase.Around[db.InvoiceTemplate]) error {
		return h.service.Unpublish(ctx, usecase.Caller(c), in.ID, around)
	})
}

func (h *Handler) delete(ctx context.Context, c *httpkit.Call, in *httpkit.ByID) (*httpkit.Reply[view.Deleted], error) {
	gone := func(t db.InvoiceTemplate) httpkit.Made[view.Deleted] {
		return httpkit.Made[view.Deleted]{Resource: view.Deleted{ID: t.ID, Deleted: true}}
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, gone, func(around usecase.Around[db.InvoiceTemplate]) error {
		return h.service.Delete(ctx, usecase.Caller(c), in.ID, around)
	})
}

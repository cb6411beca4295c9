package templates

import (
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/db"
	"perennial/internal/id"
)

const tag = "Invoice templates"

func example() InvoiceTemplate {
	return InvoiceTemplate{
		ID: "it_01jcz6dyqx4w9s1c2k7v5h8m3n", Object: "invoice_template", Version: 3, Published: true, PublishedAt: 1763640000,
		BuiltIn: true, AccentColor: "#0a5c8e", CreatedAt: 1763640000,
		Texts: map[string]map[string]string{
			"default": {"footer": "Acme Ltd, registered in England 1234567"}, "de": {"footer": "Acme Ltd, eingetragen in England, 1234567"},
		},
	}
}

func (h *Handler) operations() {
	shown := example()
	load := httpkit.LoadByID(h.kit, id.InvoiceTemplate, db.ErrInvoiceTemplateNotFound, h.store.Templates.TemplateWithKey)
	kept := shown
	kept.Texts = nil
	draft := shown
	draft.Published, draft.PublishedAt = false, 0
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createInvoiceTemplate", Method: http.MethodPost, Path: "/invoice-templates", Tag: tag,
		Summary: "Save an invoice template",
		Description: "Saves a version of how invoices, credit notes and receipts look, and with `publish` draws by it from now on. " +
			"It is tried with documents of each kind and in each language first. A document keeps the template by which it was drawn first.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: shown,
		Request: InvoiceTemplateForm{Look: Look{AccentColor: shown.AccentColor, Texts: shown.Texts}, Publish: true},
	}, h.create)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getInvoiceTemplate", Method: http.MethodGet, Path: "/invoice-templates/{id}", Tag: tag,
		Summary: "Get an invoice template", Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: shown,
	}, h.get)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listInvoiceTemplates", Method: http.MethodGet, Path: "/invoice-templates", Tag: tag,
		Summary: "List invoice templates", Description: "The newest first, without logo and texts.",
		Status: http.StatusOK, Access: httpkit.ReadAccess,
		Response: httpkit.List[InvoiceTemplate]{Data: []InvoiceTemplate{kept}},
	}, h.list)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "publishInvoiceTemplate", Method: http.MethodPost, Path: "/invoice-templates/{id}/publish", Tag: tag,
		Summary: "Publish an invoice template",
		Description: "Documents that are drawn for the first time are drawn by it from now on. Publish an earlier version to roll " +
			"back. Documents that were drawn keep their template.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: load, Response: shown,
	}, h.publish)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "unpublishInvoiceTemplate", Method: http.MethodPost, Path: "/invoice-templates/{id}/unpublish", Tag: tag,
		Summary:     "Return to the built-in template",
		Description: "Documents that are drawn for the first time are drawn by the built-in template from now on, if this one is published.",
		Status:      http.StatusOK, Access: httpkit.WriteAccess, Load: load, Response: draft,
	}, h.unpublish)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "deleteInvoiceTemplate", Method: http.MethodDelete, Path: "/invoice-templates/{id}", Tag: tag,
		Summary:     "Delete an invoice template",
		Description: "One that is not published and that no document keeps.",
		Status:      http.StatusOK, Access: httpkit.WriteAccess, Load: load,
		Response: view.Deleted{ID: shown.ID, Deleted: true},
	}, h.delete)
}

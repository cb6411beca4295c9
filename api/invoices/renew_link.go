package invoices

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/db"
	"perennial/internal/id"
)

// renewLink ends the link to the page of an invoice, and answers with the invoice and its new one.
func (h *Handler) renewLink(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Invoice], error) {
	return h.onInvoice(ctx, c, h.hosted.RenewLink)
}

func (h *Handler) linkOperations(example Invoice) {
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "renewInvoiceLink", Method: http.MethodPost, Path: "/invoices/{id}/renew-link", Tag: "Invoices",
		Summary: "Replace the link to an invoice's page",
		Description: "hostedUrl in the answer is the new link. The one before opens nothing any more, as when it came into " +
			"wrong hands. Of a draft, which has no page: 409 invoice_is_draft.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Response: example,
		Load: httpkit.LoadByID(h.kit, id.Invoice, db.ErrInvoiceNotFound, h.store.Invoices.GetWithKey),
	}, h.renewLink)
}

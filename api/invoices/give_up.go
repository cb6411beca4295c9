package invoices

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/invoice"
	serviceusecase "perennial/service/usecase"
)

// voidInvoice voids an invoice that was not owed: credit comes back, and a capture that is still under way is refunded.
func (h *Handler) voidInvoice(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Invoice], error) {
	return h.onInvoice(ctx, c, h.service.VoidInvoice)
}

// markUncollectible ends the collection of an invoice that stays owed: a capture that is still under way pays it.
func (h *Handler) markUncollectible(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Invoice], error) {
	return h.onInvoice(ctx, c, h.service.MarkUncollectible)
}

// onInvoice performs a command to the subscription of an open invoice: where it ends the collection, the next open
// invoice has its turn in the same transaction. The invoice was read without a lock; perform judges it again under one.
func (h *Handler) onInvoice(
	ctx context.Context, c *httpkit.Call,
	perform func(context.Context, serviceusecase.Caller, string, usecase.Around[invoice.Invoice]) error,
) (*httpkit.Reply[Invoice], error) {
	inv := httpkit.Resource[invoice.Invoice](c)
	return usecase.Command(ctx, h.kit, c, http.StatusOK, h.made(c),
		func(around usecase.Around[invoice.Invoice]) error {
			return perform(ctx, usecase.Caller(c), inv.ID, around)
		},
		h.gate.AdmitInvoice(inv))
}

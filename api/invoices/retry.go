package invoices

import (
	"context"

	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/invoice"
)

// retryInvoice starts an attempt now, as POST /payments with the subscription does. It answers with the payment.
func (h *Handler) retryInvoice(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[payments.Payment], error) {
	inv := httpkit.Resource[invoice.Invoice](c)
	return h.payments.StartAttempt(ctx, c, h.gate.AdmitInvoice(inv), func(around usecase.Around[usecase.Performed]) error {
		return h.service.PayInvoice(ctx, usecase.Caller(c), inv.ID, nil, around)
	})
}

// skipInvoiceRetry lets the next automatic retry not happen.
func (h *Handler) skipInvoiceRetry(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Invoice], error) {
	return h.onInvoice(ctx, c, h.service.SkipRetry)
}

package api

import (
	"context"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/invoice"
	"perennial/service"
)

// retryInvoice starts an attempt now, as POST /payments with the subscription does. It answers with the payment.
func (s *Server) retryInvoice(ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput) (*httpkit.Reply[Payment], error) {
	inv := httpkit.Resource[invoice.Invoice](c)
	return s.startAttempt(ctx, c, s.gate.AdmitInvoice(inv), func(around service.Around[service.Performed]) error {
		return s.service.PayInvoice(ctx, usecase.Caller(c), inv.ID, nil, around)
	})
}

// skipInvoiceRetry lets the next automatic retry not happen.
func (s *Server) skipInvoiceRetry(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Invoice], error) {
	return s.onInvoice(ctx, c, s.service.SkipRetry)
}

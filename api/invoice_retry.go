package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/invoice"
	"perennial/service"
)

// retryInvoice starts an attempt now, as POST /payments with the subscription does. It answers with the payment.
func (s *Server) retryInvoice(ctx context.Context, c *httpkit.Call, _ *fieldlessInput) (*httpkit.Reply[Payment], error) {
	inv := httpkit.Resource[invoice.Invoice](c)
	out, err := commandOf(ctx, s, c, http.StatusCreated,
		func(p service.Performed) httpkit.Made[Payment] { return s.madePayment(*p.Attempt) },
		func(around service.Around[service.Performed]) error {
			return s.service.PayInvoice(ctx, caller(c), inv.ID, nil, around)
		}, s.admitInvoice(inv))
	if err != nil {
		return nil, err
	}
	return s.paymentNow(ctx, c, out)
}

// skipInvoiceRetry lets the next automatic retry not happen.
func (s *Server) skipInvoiceRetry(
	ctx context.Context, c *httpkit.Call, _ *fieldlessInput,
) (*httpkit.Reply[Invoice], error) {
	return s.onInvoice(ctx, c, s.service.SkipRetry)
}

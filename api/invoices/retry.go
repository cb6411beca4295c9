package invoices

import (
	"context"

	"perennial/api/httpkit"
	"perennial/api/payments"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
)

type payInvoiceInput struct {
	httpkit.ByID
	Body *PayForm
}

// PayForm charges an open invoice.
type PayForm struct {
	PaymentMethodID string `json:"paymentMethodId,omitempty" minLength:"1" maxLength:"64" example:"pm_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"Another of the customer's payment methods, for this attempt alone: later retries use the one that the subscription names, or the default. Default: that one."`
}

// retryInvoice starts an attempt now, as POST /payments with the invoice does. It answers with the payment.
func (h *Handler) retryInvoice(
	ctx context.Context, c *httpkit.Call, in *payInvoiceInput,
) (*httpkit.Reply[payments.Payment], error) {
	inv := httpkit.Resource[invoice.Invoice](c)
	pay := lifecycle.Pay{InvoiceID: inv.ID}
	if in.Body != nil {
		pay.MethodID = in.Body.PaymentMethodID
	}
	return h.payments.StartAttempt(ctx, c, h.gate.AdmitInvoice(inv), func(around usecase.Around[usecase.Performed]) error {
		return h.service.PayInvoice(ctx, usecase.Caller(c), pay, around)
	})
}

// skipInvoiceRetry lets the next automatic retry not happen.
func (h *Handler) skipInvoiceRetry(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Invoice], error) {
	return h.onInvoice(ctx, c, h.service.SkipRetry)
}

package payments

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/payment"
	serviceusecase "perennial/service/usecase"
)

// retryRefund responds with the new refund.
func (h *Handler) retryRefund(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Payment], error) {
	out, err := h.refundOwed(ctx, c, http.StatusCreated, h.service.RetryRefund)
	if err != nil {
		return nil, err
	}
	return h.paymentNow(ctx, c, out)
}

// creditRefund responds with the charge.
func (h *Handler) creditRefund(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Payment], error) {
	return h.refundOwed(ctx, c, http.StatusOK, h.service.CreditRefund)
}

func (h *Handler) refundOwed(
	ctx context.Context, c *httpkit.Call, status int,
	perform func(context.Context, serviceusecase.Caller, string, usecase.Around[payment.Transaction]) error,
) (*httpkit.Reply[Payment], error) {
	t := httpkit.Resource[payment.Transaction](c)
	return usecase.Command(ctx, h.kit, c, status, h.madePayment,
		func(around usecase.Around[payment.Transaction]) error {
			return perform(ctx, usecase.Caller(c), t.ID, around)
		},
		h.gate.AdmitOwner(t))
}

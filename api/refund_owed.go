package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/payment"
	"perennial/service"
)

// retryRefund answers with the new refund.
func (s *Server) retryRefund(ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput) (*httpkit.Reply[Payment], error) {
	out, err := s.refundOwed(ctx, c, http.StatusCreated, s.service.RetryRefund)
	if err != nil {
		return nil, err
	}
	return s.paymentNow(ctx, c, out)
}

// creditRefund answers with the charge.
func (s *Server) creditRefund(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Payment], error) {
	return s.refundOwed(ctx, c, http.StatusOK, s.service.CreditRefund)
}

func (s *Server) refundOwed(
	ctx context.Context, c *httpkit.Call, status int,
	perform func(context.Context, service.Caller, string, service.Around[payment.Transaction]) error,
) (*httpkit.Reply[Payment], error) {
	t := httpkit.Resource[payment.Transaction](c)
	return usecase.Command(ctx, s.kit, c, status, s.madePayment,
		func(around service.Around[payment.Transaction]) error {
			return perform(ctx, usecase.Caller(c), t.ID, around)
		},
		s.gate.AdmitOwner(t))
}

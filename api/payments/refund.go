package payments

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/money"
	"perennial/billing/payment"
	serviceusecase "perennial/service/usecase"
)

type refundPaymentInput struct {
	httpkit.ByID
	Body *RefundForm
}

// RefundForm has the amount of a charge to refund.
type RefundForm struct {
	Amount int64 `json:"amount,omitempty" minimum:"1" maximum:"999999999999" example:"500" doc:"Minor units of the currency. Default: all that can still go back."`
}

// refundPayment responds with the new refund. Several may follow each other, up to the captured amount.
func (h *Handler) refundPayment(
	ctx context.Context, c *httpkit.Call, in *refundPaymentInput,
) (*httpkit.Reply[Payment], error) {
	var form RefundForm
	if in.Body != nil {
		form = *in.Body
	}
	out, err := h.refundOwed(ctx, c, http.StatusCreated,
		func(ctx context.Context, by serviceusecase.Caller, id string, around usecase.Around[payment.Transaction]) error {
			return h.service.RefundCharge(ctx, by, id, money.Minor(form.Amount), around)
		})
	if err != nil {
		return nil, err
	}
	return h.paymentNow(ctx, c, out)
}

// cancelPayment responds with the payment, which is pending until the provider confirms.
func (h *Handler) cancelPayment(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Payment], error) {
	t := httpkit.Resource[payment.Transaction](c)
	out, err := usecase.Command(ctx, h.kit, c, http.StatusOK, h.madePayment,
		func(around usecase.Around[payment.Transaction]) error {
			return h.service.CancelPayment(ctx, usecase.Caller(c), t.ID, around)
		}, h.gate.AdmitOwner(t))
	if err != nil {
		return nil, err
	}
	return h.paymentNow(ctx, c, out)
}

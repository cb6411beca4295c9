package payments

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/service/payments"
	serviceusecase "perennial/service/usecase"
)

type refundPaymentInput struct {
	httpkit.ByID
	Body *RefundForm
}

// RefundForm has the amount of a charge to refund, and whether a credit note says so.
type RefundForm struct {
	Amount     int64 `json:"amount,omitempty" minimum:"1" maximum:"999999999999" example:"500" doc:"Minor units of the currency. Default: all that can still go back."`
	CreditNote *bool `json:"creditNote,omitempty" example:"true" doc:"Whether a credit note takes the amount back of the lines of the invoice that the charge paid, with their taxes; its refundId is the refund. It is over what is left of the invoice where that is less. Default: true. false refunds the money only. A charge that paid no invoice has no credit note."`
}

// refundPayment responds with the new refund. Several may follow each other, up to the captured amount.
func (h *Handler) refundPayment(
	ctx context.Context, c *httpkit.Call, in *refundPaymentInput,
) (*httpkit.Reply[Payment], error) {
	var form RefundForm
	if in.Body != nil {
		form = *in.Body
	}
	ask := payments.ChargeRefund{
		Amount: money.Minor(form.Amount), CreditNote: form.CreditNote == nil || *form.CreditNote,
	}
	out, err := h.refundOwed(ctx, c, http.StatusCreated,
		func(ctx context.Context, by serviceusecase.Caller, id string, around usecase.Around[payment.Transaction]) error {
			return h.service.RefundCharge(ctx, by, id, ask, around)
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

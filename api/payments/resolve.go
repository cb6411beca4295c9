package payments

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/payment"
	"perennial/service/payments"
)

type resolvePaymentInput struct {
	httpkit.ByID
	Body ResolvePaymentForm
}

// ResolvePaymentForm is a person's finding about a payment in review.
type ResolvePaymentForm struct {
	Outcome string `json:"outcome" enum:"succeeded,failed,returned" example:"failed" doc:"succeeded: the money moved as asked, and counts. failed: no money moved. returned: money moved, and was given back outside Perennial."`
	Note    string `json:"note" maxLength:"200" example:"Stripe support: never captured" doc:"How it was found out. Kept with the decision; send no personal data."`
}

// resolvePayment responds with the payment after the decision.
func (h *Handler) resolvePayment(
	ctx context.Context, c *httpkit.Call, in *resolvePaymentInput,
) (*httpkit.Reply[Payment], error) {
	t := httpkit.Resource[payment.Transaction](c)
	resolution := payments.Resolution{PaymentID: t.ID, Decision: payment.Decision(in.Body.Outcome), Note: in.Body.Note}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, h.madePayment,
		func(around usecase.Around[payment.Transaction]) error {
			return h.service.ResolvePayment(ctx, usecase.Caller(c), resolution, around)
		}, h.gate.AdmitOwner(t))
}

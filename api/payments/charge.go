package payments

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/service/payments"
)

// chargeCustomer makes a charge of its own. The row commits before the provider is asked, and its workflow is started
// after the commit; where the process ends in between, the reconciler starts it.
func (h *Handler) chargeCustomer(ctx context.Context, c *httpkit.Call, f PaymentForm) (*httpkit.Reply[Payment], error) {
	out, err := httpkit.Create(ctx, h.kit, c, http.StatusCreated, h.madePayment,
		func(keep func(*db.Tx, payment.Transaction) error) error {
			_, err := h.service.ChargeCustomer(ctx, usecase.Caller(c), payments.NewCharge{
				CustomerID: f.CustomerID, Amount: money.Minor(*f.Amount), Currency: money.Currency(f.Currency),
				Description: f.Description, PaymentMethodID: f.PaymentMethodID,
			}, keep)
			return err
		})
	if err != nil {
		return nil, err
	}
	return h.paymentNow(ctx, c, out)
}

// madePayment names the customer: the description and the provider's message in the answer are erased with them.
func (h *Handler) madePayment(t payment.Transaction) httpkit.Made[Payment] {
	return httpkit.Made[Payment]{Resource: h.RenderPayment(t), CustomerID: t.CustomerID}
}

// paymentNow replaces a replayed answer by the present state of the payment, and holds any answer back until the
// payment is final or waits for its payer, or the caller's patience is over.
func (h *Handler) paymentNow(
	ctx context.Context, c *httpkit.Call, out *httpkit.Reply[Payment],
) (*httpkit.Reply[Payment], error) {
	made, err := out.Value()
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (Payment, bool, error) {
		t, err := h.store.Payments.Transaction(ctx, c.EnvironmentID, made.ID)
		return h.RenderPayment(t), t.Status != payment.Pending || t.WaitsForPayer(), err
	}
	// The stored answer says pending for ever. A client that lost the response wants to know how the payment went, so a
	// repeat alone shows the row as it is now.
	if out.Replayed != "" {
		now, _, err := read(ctx)
		if err != nil {
			return nil, err
		}
		out.Now(now)
	}
	return httpkit.Await(ctx, h.kit, c, out, db.AwaitedTransaction(c.EnvironmentID, made.ID), read), nil
}

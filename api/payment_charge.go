package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/service"
)

// chargeCustomer makes a charge of its own.
func (s *Server) chargeCustomer(ctx context.Context, c *httpkit.Call, f PaymentForm) (*httpkit.Reply[Payment], error) {
	out, err := httpkit.Create(ctx, s.kit, c, http.StatusCreated, madePayment,
		func(keep func(*db.Tx, payment.Transaction) error) error {
			_, err := s.service.ChargeCustomer(ctx, caller(c), service.NewCharge{
				CustomerID: f.CustomerID, Amount: money.Minor(*f.Amount), Currency: money.Currency(f.Currency),
				Description: f.Description,
			}, keep)
			return err
		})
	if err != nil {
		return nil, err
	}
	return s.paymentNow(ctx, c, out)
}

func madePayment(t payment.Transaction) httpkit.Made[Payment] {
	return httpkit.Made[Payment]{Resource: renderPayment(t), CustomerID: t.CustomerID}
}

// paymentNow makes a replayed answer tell what has become of the payment since, and keeps any answer back until the
// payment is final or the caller's patience is over.
func (s *Server) paymentNow(
	ctx context.Context, c *httpkit.Call, out *httpkit.Reply[Payment],
) (*httpkit.Reply[Payment], error) {
	made, err := out.Value()
	if err != nil {
		return nil, err
	}
	read := func(ctx context.Context) (Payment, bool, error) {
		t, err := s.store.Transaction(ctx, c.EnvironmentID, made.ID)
		return renderPayment(t), t.Status != payment.Pending, err
	}
	if out.Replayed != "" {
		now, _, err := read(ctx)
		if err != nil {
			return nil, err
		}
		out.Now(now)
	}
	return httpkit.Await(ctx, s.kit, c, out, db.AwaitedTransaction(c.EnvironmentID, made.ID), read), nil
}

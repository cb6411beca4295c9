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
	var txn payment.Transaction
	out, err := httpkit.Create(ctx, s.kit, c, http.StatusCreated, madePayment,
		func(keep func(*db.Tx, payment.Transaction) error) (err error) {
			txn, err = s.service.ChargeCustomer(ctx, caller(c), service.NewCharge{
				CustomerID: f.CustomerID, Amount: money.Minor(*f.Amount), Currency: money.Currency(f.Currency), Description: f.Description,
			}, keep)
			return err
		})
	if err != nil || out.Replayed != "" {
		return out, err
	}
	return s.awaitPayment(ctx, c, out, txn.ID), nil
}

func madePayment(t payment.Transaction) httpkit.Made[Payment] {
	return httpkit.Made[Payment]{Resource: renderPayment(t), CustomerID: t.CustomerID}
}

// awaitPayment keeps the answer back until the payment is final or the caller's patience is over.
func (s *Server) awaitPayment(
	ctx context.Context, c *httpkit.Call, out *httpkit.Reply[Payment], transactionID string,
) *httpkit.Reply[Payment] {
	return httpkit.Await(ctx, s.kit, c, out, func(ctx context.Context) (Payment, bool, error) {
		t, err := s.store.Transaction(ctx, c.EnvironmentID, transactionID)
		return renderPayment(t), t.Status != payment.Pending, err
	})
}

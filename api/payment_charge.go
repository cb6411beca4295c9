package api

import (
	"context"
	"net/http"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

// chargeCustomer makes a charge of its own: the pending row is the intent, and its workflow carries it out.
func (s *Server) chargeCustomer(ctx context.Context, c *call, f PaymentForm) (*reply[Payment], error) {
	var txn payment.Transaction
	out, err := create(ctx, s, c, http.StatusCreated, func(ctx context.Context) (effect[Payment], error) {
		cust, err := s.payer(ctx, c, f.CustomerID)
		if err != nil {
			return nil, err
		}
		provider, err := s.primaryProvider(ctx, c.environmentID)
		if err != nil {
			return nil, err
		}
		return func(tx *db.Tx) (made[Payment], error) {
			now, err := s.lockClock(ctx, tx, c.environmentID, cust.TestClockID)
			if err != nil {
				return made[Payment]{}, err
			}
			// Read again under lock: nothing of a customer who is being erased may be copied.
			cust, err := tx.LockCustomer(ctx, c.environmentID, cust.ID)
			if err == nil && !cust.ErasedAt.IsZero() {
				err = notFound("customer_not_found")
			}
			if err != nil {
				return made[Payment]{}, inParam(err, "customerId")
			}
			in := payment.NewChargeInput{
				ID: id.New(id.Transaction, s.now()), Customer: cust, Amount: money.Minor(*f.Amount), Currency: money.Currency(f.Currency),
				Description: f.Description, Trigger: collection.Manual, Due: now, Now: now,
			}
			if provider != nil {
				in.Provider, in.ProviderConfigID = provider.Provider, provider.ID
			}
			txn = payment.NewCharge(in)
			return made[Payment]{renderPayment(txn), cust.ID}, insertCharge(ctx, tx, c.environmentID, txn)
		}, nil
	})
	if err != nil || out.Replayed != "" {
		return out, err
	}
	if txn.Status == payment.Pending {
		s.startPayment(ctx, c.environmentID, txn.ID)
	}
	return s.awaitPayment(ctx, c, out, txn.ID), nil
}

func insertCharge(ctx context.Context, tx *db.Tx, environmentID string, txn payment.Transaction) error {
	if err := tx.InsertTransaction(ctx, environmentID, txn); err != nil {
		return err
	}
	return tx.Emit(ctx, environmentID, chargeEvent(txn))
}

// chargeEvent announces a new charge of its own.
func chargeEvent(t payment.Transaction) event.Event {
	if t.Status == payment.Failed {
		return t.FailedEvent(t.CreatedAt)
	}
	return t.Event(event.PaymentPending, t.CreatedAt, nil)
}

// awaitPayment keeps the answer back until the payment is final or the caller's patience is over.
func (s *Server) awaitPayment(ctx context.Context, c *call, out *reply[Payment], transactionID string) *reply[Payment] {
	return await(ctx, s, c, out, db.AwaitedTransaction(c.environmentID, transactionID), func(ctx context.Context) (Payment, bool, error) {
		t, err := s.store.Transaction(ctx, c.environmentID, transactionID)
		return renderPayment(t), t.Status != payment.Pending, err
	})
}

// primaryProvider is nil where the environment has none.
func (s *Server) primaryProvider(ctx context.Context, environmentID string) (*db.ProviderConfig, error) {
	provider, err := s.store.ProviderConfig(ctx, environmentID)
	if err != nil {
		if fault.From(err).Kind == fault.NotFound {
			return nil, nil
		}
		return nil, err
	}
	return &provider, nil
}

package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

// chargeCustomer makes a charge of its own: the pending row is the intent, and its workflow carries it out.
func (s *Server) chargeCustomer(ctx context.Context, c *httpkit.Call, f PaymentForm) (*httpkit.Reply[Payment], error) {
	var txn payment.Transaction
	out, err := httpkit.Create(ctx, s.kit, c, http.StatusCreated, func(ctx context.Context) (httpkit.Effect[Payment], error) {
		cust, err := s.payer(ctx, c, f.CustomerID)
		if err != nil {
			return nil, err
		}
		provider, err := s.primaryProvider(ctx, c.EnvironmentID)
		if err != nil {
			return nil, err
		}
		return func(tx *db.Tx) (httpkit.Made[Payment], error) {
			now, err := s.lockClock(ctx, tx, c.EnvironmentID, cust.TestClockID)
			if err != nil {
				return httpkit.Made[Payment]{}, err
			}
			// Read again under lock: nothing of a customer who is being erased may be copied.
			cust, err := tx.LockCustomer(ctx, c.EnvironmentID, cust.ID)
			if err == nil && !cust.ErasedAt.IsZero() {
				err = httpkit.NotFound(db.ErrCustomerNotFound)
			}
			if err != nil {
				return httpkit.Made[Payment]{}, inParam(err, "customerId")
			}
			in := payment.NewChargeInput{
				ID: id.New(id.Transaction, s.now()), Customer: cust, Amount: money.Minor(*f.Amount), Currency: money.Currency(f.Currency),
				Description: f.Description, Trigger: collection.Manual, Due: now, Now: now,
				Real: s.now(), Virtual: cust.TestClockID != "",
			}
			if provider != nil {
				in.Provider, in.ProviderConfigID = provider.Provider, provider.ID
			}
			txn = payment.NewCharge(in)
			return httpkit.Made[Payment]{Resource: renderPayment(txn), CustomerID: cust.ID}, insertCharge(ctx, tx, c.EnvironmentID, txn)
		}, nil
	})
	if err != nil {
		return nil, err
	}
	if out.Replayed == "" && txn.Status == payment.Pending {
		s.startPayment(ctx, c.EnvironmentID, txn.ID)
	}
	return s.paymentNow(ctx, c, out)
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

// paymentNow makes a replayed answer tell what has become of the payment since, and keeps any answer back until the payment
// is final or the caller's patience is over.
func (s *Server) paymentNow(ctx context.Context, c *httpkit.Call, out *httpkit.Reply[Payment]) (*httpkit.Reply[Payment], error) {
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
	return httpkit.Await(ctx, s.kit, c, out, read), nil
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

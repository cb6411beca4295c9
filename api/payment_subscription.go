package api

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
)

// paySubscription pays the oldest open invoice of a subscription. The subscription's workflow is its one collector; once
// the subscription is canceled nobody collects any more, and the attempt gets a workflow of its own.
func (s *Server) paySubscription(ctx context.Context, c *call, f PaymentForm) (*reply[Payment], error) {
	if f.Description != "" {
		return nil, fault.InvalidParam("description", "fields_exclusive", "a payment of an invoice is described by the invoice; leave description out")
	}
	var transactionID string
	out, err := command(ctx, s, c, http.StatusCreated, func(ctx context.Context, at attempt) (made[Payment], error) {
		sub, err := s.subscriptionToPay(ctx, c, f)
		if err != nil {
			return made[Payment]{}, err
		}
		if transactionID, err = s.pay(ctx, c, sub, f, at); err != nil {
			return made[Payment]{}, err
		}
		txn, err := s.store.Transaction(ctx, c.environmentID, transactionID)
		return made[Payment]{renderPayment(txn), txn.CustomerID}, err
	})
	if err != nil || out.Replayed != "" {
		return out, err
	}
	return s.awaitPayment(ctx, c, out, transactionID), nil
}

func (s *Server) subscriptionToPay(ctx context.Context, c *call, f PaymentForm) (subscription.Subscription, error) {
	if !id.Is(id.Subscription, f.SubscriptionID) {
		return subscription.Subscription{}, inParam(notFound("subscription_not_found"), "subscriptionId")
	}
	sub, err := s.store.Subscription(ctx, c.environmentID, f.SubscriptionID)
	switch {
	case err != nil:
		return sub, inParam(err, "subscriptionId")
	case f.CustomerID != "" && f.CustomerID != sub.CustomerID:
		return sub, fault.InvalidParam("customerId", "customer_mismatch", "the subscription belongs to another customer; leave customerId out")
	case f.Currency != "" && f.Currency != string(sub.Currency):
		return sub, fault.InvalidParam("currency", "currency_mismatch", "the subscription is billed in %s; leave currency out", sub.Currency)
	}
	return sub, nil
}

// pay answers the id of the attempt.
func (s *Server) pay(ctx context.Context, c *call, sub subscription.Subscription, f PaymentForm, at attempt) (string, error) {
	if sub.FinishedAt.IsZero() {
		result, err := s.engine.Command(ctx, attributesOf(c.environmentID, sub), contract.Command{
			ID: at.commandID, Idempotency: at.idempotency, Name: contract.CommandPay, Amount: f.Amount,
		})
		if !errors.Is(err, ErrFinished) {
			return result.TransactionID, cmp.Or(err, refusal(result.Refusal))
		}
	}
	return s.payFinished(ctx, c, sub.ID, f, at)
}

// payFinished starts an attempt on the oldest open invoice in a transaction of api's own.
func (s *Server) payFinished(ctx context.Context, c *call, subscriptionID string, f PaymentForm, at attempt) (string, error) {
	var txn payment.Transaction
	err := s.store.InTx(ctx, s.now(), func(tx *db.Tx) error {
		known, found, err := tx.CommandOutcome(ctx, c.environmentID, at.commandID)
		if err != nil {
			return err
		}
		if found {
			txn.ID, err = transactionOf(known)
			return err
		}
		b, err := tx.LoadSubscription(ctx, c.environmentID, subscriptionID, true)
		if err != nil {
			return err
		}
		if txn, err = s.attemptOn(ctx, tx, c.environmentID, b, f); err != nil {
			return err
		}
		return rememberPay(ctx, tx, c.environmentID, subscriptionID, at, txn.ID)
	})
	if err == nil && txn.Status == payment.Pending {
		s.startPayment(ctx, c.environmentID, txn.ID)
	}
	return txn.ID, err
}

// attemptOn begins a manual attempt, as the rules of collection allow it.
func (s *Server) attemptOn(ctx context.Context, tx *db.Tx, environmentID string, b db.Bundle, f PaymentForm) (payment.Transaction, error) {
	facts := subscription.Facts{Plan: b.Plan, Pending: b.PendingPlan, Settings: b.Settings, Open: b.Open, Paid: b.Paid}
	inv, err := b.Subscription.Payable(facts, (*money.Minor)(f.Amount))
	if err != nil {
		return payment.Transaction{}, err
	}
	now := s.now()
	if b.TestClock != nil {
		now = b.TestClock.NowAt
	}
	terms := collection.Terms{Retry: b.Settings.Retry, Stopped: true}
	if inv.Collection, _, err = collection.Next(inv.Collection, collection.Input{Kind: collection.Pay, Now: now}, terms); err != nil {
		return payment.Transaction{}, err
	}
	txn := newCharge(b.Customer, b.Provider, now, id.New(id.Transaction, s.now()))
	txn.SubscriptionID, txn.InvoiceID, txn.Amount, txn.Currency = inv.SubscriptionID, inv.ID, inv.AmountDue, inv.Currency
	txn.AttemptNumber, txn.Description = inv.Collection.Attempts, "Subscription "+inv.SubscriptionID
	if txn.Status == payment.Failed {
		failed := collection.Input{Kind: collection.AttemptFailed, Now: now}
		if inv.Collection, _, err = collection.Next(inv.Collection, failed, terms); err != nil {
			return txn, err
		}
	}
	if err := tx.SaveInvoice(ctx, environmentID, inv); err != nil {
		return txn, err
	}
	return txn, insertCharge(ctx, tx, environmentID, txn)
}

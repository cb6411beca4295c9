package api

import (
	"cmp"
	"context"
	"net/http"

	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/internal/id"
)

// paySubscription pays the oldest open invoice of a subscription. It is a command in every status: the subscription's
// workflow is the one collector of its invoices, also of those that a canceled subscription left open.
func (s *Server) paySubscription(ctx context.Context, c *call, f PaymentForm) (*reply[Payment], error) {
	if f.Description != "" {
		return nil, fault.InvalidParam("description", "fields_exclusive", "a payment of an invoice is described by the invoice; leave description out")
	}
	var transactionID string
	out, err := command(ctx, s, c, http.StatusCreated, func(ctx context.Context, r run) (made[Payment], error) {
		sub, err := s.subscriptionToPay(ctx, c, f)
		if err != nil {
			return made[Payment]{}, err
		}
		if transactionID, err = s.pay(ctx, c, sub, f, r); err != nil {
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
func (s *Server) pay(ctx context.Context, c *call, sub subscription.Subscription, f PaymentForm, r run) (string, error) {
	result, err := s.engine.Command(ctx, attributesOf(c.environmentID, sub), contract.Command{
		ID: r.commandID, Idempotency: r.idempotency, Name: contract.CommandPay, Amount: f.Amount,
	})
	return result.TransactionID, cmp.Or(err, result.Refusal.Err())
}

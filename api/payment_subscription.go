package api

import (
	"cmp"
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/dispatch"
)

// paySubscription pays the oldest open invoice of a subscription. It is a command in every status: the subscription's
// workflow is the one collector of its invoices, also of those that a canceled subscription left open.
func (s *Server) paySubscription(ctx context.Context, c *httpkit.Call, f PaymentForm) (*httpkit.Reply[Payment], error) {
	if f.Description != "" {
		return nil, fault.InvalidParam("description", "fields_exclusive",
			"a payment of an invoice is described by the invoice; leave description out")
	}
	var transactionID string
	out, err := httpkit.Command(ctx, s.kit, c, http.StatusCreated, func(ctx context.Context, r httpkit.Run) (httpkit.Made[Payment], error) {
		sub, err := s.subscriptionToPay(ctx, c, f)
		if err != nil {
			return httpkit.Made[Payment]{}, err
		}
		if transactionID, err = s.pay(ctx, c, sub, f, r); err != nil {
			return httpkit.Made[Payment]{}, err
		}
		txn, err := s.store.Transaction(ctx, c.EnvironmentID, transactionID)
		return madePayment(txn), err
	})
	if err != nil || out.Replayed != "" {
		return out, err
	}
	return s.awaitPayment(ctx, c, out, transactionID), nil
}

func (s *Server) subscriptionToPay(
	ctx context.Context, c *httpkit.Call, f PaymentForm,
) (subscription.Subscription, error) {
	if !id.Is(id.Subscription, f.SubscriptionID) {
		return subscription.Subscription{}, httpkit.NotFound(db.ErrSubscriptionNotFound).In("subscriptionId")
	}
	sub, err := s.store.Subscription(ctx, c.EnvironmentID, f.SubscriptionID)
	switch {
	case err != nil:
		return sub, inParam(err, "subscriptionId")
	case f.CustomerID != "" && f.CustomerID != sub.CustomerID:
		return sub, fault.InvalidParam("customerId", "customer_mismatch",
			"the subscription belongs to another customer; leave customerId out")
	case f.Currency != "" && f.Currency != string(sub.Currency):
		return sub, fault.InvalidParam("currency", "currency_mismatch",
			"the subscription is billed in %s; leave currency out", sub.Currency)
	}
	return sub, nil
}

// pay answers the id of the attempt.
func (s *Server) pay(
	ctx context.Context, c *httpkit.Call, sub subscription.Subscription, f PaymentForm, r httpkit.Run,
) (string, error) {
	result, err := s.engine.Command(ctx, dispatch.StartOf(c.EnvironmentID, sub), contract.Command{
		ID: r.CommandID, Idempotency: completes(r), Name: contract.CommandPay, Amount: f.Amount,
	})
	return result.TransactionID, cmp.Or(err, result.Refusal.Err())
}

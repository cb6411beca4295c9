package payments

import (
	"context"
	"errors"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/internal/id"
)

// paySubscription pays the oldest open invoice of a subscription. It is a command in every status: only the
// subscription's workflow collects its invoices, including those that a canceled subscription left open.
func (h *Handler) paySubscription(
	ctx context.Context, c *httpkit.Call, f PaymentForm,
) (*httpkit.Reply[Payment], error) {
	if f.Description != "" {
		return nil, fault.InvalidParam("description", "fields_exclusive",
			"`description` cannot be combined with `subscriptionId`: the invoice describes the payment. "+
				"Omit `description`.")
	}
	sub, err := h.subscriptionToPay(ctx, c, f)
	if err != nil {
		return nil, err
	}
	// Amount, if sent, prevents paying an invoice other than the one that the payer saw; lifecycle compares it under
	// lock.
	pay := lifecycle.Pay{Amount: (*money.Minor)(f.Amount), MethodID: f.PaymentMethodID}
	return h.StartAttempt(ctx, c, h.gate.Admit(sub.ID), func(around usecase.Around[usecase.Performed]) error {
		return h.subscriptions.Command(ctx, usecase.Caller(c), sub.ID, pay, around)
	})
}

// StartAttempt runs a use case that starts an attempt, and answers with the payment.
func (h *Handler) StartAttempt(
	ctx context.Context, c *httpkit.Call, admit httpkit.Admission, perform func(usecase.Around[usecase.Performed]) error,
) (*httpkit.Reply[Payment], error) {
	made := func(p usecase.Performed) httpkit.Made[Payment] { return h.madePayment(*p.Attempt) }
	out, err := usecase.Command(ctx, h.kit, c, http.StatusCreated, made, perform, admit)
	if err != nil {
		return nil, err
	}
	return h.paymentNow(ctx, c, out)
}

// subscriptionToPay reads without a lock, to refuse a request that can never succeed: customer and currency of a
// subscription do not change. The command judges facts that may change. Faults: subscription_not_found,
// customer_mismatch, currency_mismatch.
func (h *Handler) subscriptionToPay(
	ctx context.Context, c *httpkit.Call, f PaymentForm,
) (subscription.Subscription, error) {
	absent := httpkit.NotFound(db.ErrSubscriptionNotFound).In("subscriptionId")
	if !id.Is(id.Subscription, f.SubscriptionID) {
		return subscription.Subscription{}, absent
	}
	sub, err := h.store.Subscriptions.Get(ctx, c.EnvironmentID, f.SubscriptionID)
	switch {
	case errors.Is(err, db.ErrSubscriptionNotFound):
		return sub, absent
	case err != nil:
		return sub, err
	case f.CustomerID != "" && f.CustomerID != sub.CustomerID:
		return sub, fault.InvalidParam("customerId", "customer_mismatch",
			"The subscription belongs to another customer. Omit `customerId`.")
	case f.Currency != "" && f.Currency != string(sub.Currency):
		return sub, fault.InvalidParam("currency", "currency_mismatch",
			"The subscription is billed in %s. Omit `currency`.", sub.Currency)
	}
	return sub, nil
}

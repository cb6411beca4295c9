package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/customer"
	"perennial/billing/payment"
)

var payer = customer.Customer{
	ID: "cust_1", PaymentMethod: "card",
	PaymentDetails: customer.PaymentDetails{CustomerToken: "cus_1", PaymentMethodToken: "pm_1"},
}

func TestNewCharge_IsPending(t *testing.T) {
	t.Parallel()
	got := payment.NewCharge(payment.NewChargeInput{
		ID: "txn_1", Customer: payer, HasProvider: true, Amount: 1900, Currency: "USD",
		Description: "Invoice in_1",
		Trigger:     collection.Automatic, SubscriptionID: "sub_1", InvoiceID: "in_1", AttemptNumber: 2, Due: t0,
		Now: t0.Add(1),
	})

	require.Equal(t, payment.Transaction{
		ID: "txn_1", Type: payment.Charge, Status: payment.Pending, CustomerID: "cust_1", SubscriptionID: "sub_1",
		InvoiceID: "in_1",
		Amount:    1900, Currency: "USD", Description: "Invoice in_1", AttemptNumber: 2, Trigger: collection.Automatic,
		Method: payment.Method{Type: "card", Details: payer.PaymentDetails},
		DueAt:  t0, CreatedAt: t0.Add(1), Revision: 1,
	}, got)
}

func TestNewCharge_FailsWithoutPaymentMethod(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		customer customer.Customer
		provider bool
		reason   string
	}{
		"no method": {customer.Customer{ID: "cust_1"}, true, "The customer has no payment method."},
		"a method in name": {
			customer.Customer{ID: "cust_1", PaymentMethod: "card"}, true, "The customer has no payment method.",
		},
		"no provider": {payer, false, "This environment has no payment provider. It is not the customer's fault."},
		"neither":     {customer.Customer{ID: "cust_1"}, false, "The customer has no payment method."},
	} {
		got := payment.NewCharge(payment.NewChargeInput{
			ID: "txn_1", Customer: c.customer, HasProvider: c.provider, Amount: 1900, Currency: "USD",
			Due: t0, Now: t0,
		})

		require.Equal(t, payment.Failed, got.Status, name)
		require.Equal(t, payment.CodeInvalidAccount, got.FailureCode, name)
		require.Equal(t, c.reason, got.FailureReason, name)
		require.Equal(t, t0, got.CompletedAt, name)
		require.Empty(t, got.Provider+got.ProviderConfigID, "%s: nobody was asked", name)
		require.Equal(t, payment.MoveNone, protocol.Next(got, true, t0), name)
	}
}

// Times of the charge protocol are real. A charge that catches up was due when it should have been made; on a test
// clock that time says nothing about real time.
func TestNewCharge_NextCheckAndSendDue(t *testing.T) {
	t.Parallel()
	wall := t0.Add(time.Hour)
	for name, c := range map[string]struct {
		due     time.Time
		virtual bool
		want    time.Time
	}{
		"on time":          {wall, false, wall},
		"an hour late":     {t0, false, t0},
		"due in future":    {wall.Add(time.Hour), false, wall},
		"on a test clock":  {t0, true, wall},
		"clock runs ahead": {wall.AddDate(1, 0, 0), true, wall},
	} {
		got := payment.NewCharge(payment.NewChargeInput{
			ID: "txn_1", Customer: payer, HasProvider: true, Due: c.due, Now: c.due, Real: wall, Virtual: c.virtual,
		})
		require.Equal(t, wall, got.NextCheckAt, name)
		require.Equal(t, c.want, got.SendDueAt, name)
	}
}

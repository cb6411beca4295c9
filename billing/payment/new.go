package payment

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/customer"
	"perennial/billing/money"
)

// NewChargeInput describes a charge: the payer, the amount and the subscription. Times are the customer's own.
type NewChargeInput struct {
	ID             string
	Customer       customer.Customer
	HasProvider    bool // the environment has a payment provider; which one takes it is decided when it is sent
	Amount         money.Minor
	Currency       money.Currency
	Description    string
	Trigger        collection.Trigger
	SubscriptionID string // empty: a charge of its own
	InvoiceID      string
	AttemptNumber  int
	Due            time.Time // when it should have been made; lateness counts from here
	Now            time.Time
	Real           time.Time // the wall clock's
	Virtual        bool      // Due and Now are a test clock's
}

// NewCharge returns the intent to move money: pending. Without a payment method or a provider it has failed already,
// without a provider: that is an outcome, not an error of the caller.
func NewCharge(in NewChargeInput) Transaction {
	t := Transaction{
		ID: in.ID, Type: Charge, Status: Pending, CustomerID: in.Customer.ID, SubscriptionID: in.SubscriptionID,
		InvoiceID: in.InvoiceID,
		Amount:    in.Amount, Currency: in.Currency, Description: in.Description, AttemptNumber: in.AttemptNumber,
		Trigger:         in.Trigger,
		Method:          Method{Type: in.Customer.PaymentMethod, Details: in.Customer.PaymentDetails},
		PaymentMethodID: in.Customer.PaymentMethodID,
		DueAt:           in.Due, CreatedAt: in.Now, Revision: 1,
	}
	switch {
	case !in.Customer.CanPay():
		t.FailureReason = "The customer has no payment method."
	case !in.HasProvider:
		t.FailureReason = "This environment has no payment provider. It is not the customer's fault."
	default:
		// Should its workflow never learn of it, because a worker is killed right after the commit, the reconciler
		// finds it by this.
		t.NextCheckAt, t.SendDueAt = in.Real, in.Real
		if !in.Virtual && in.Due.Before(in.Real) {
			t.SendDueAt = in.Due
		}
		return t
	}
	t.Status, t.FailureCode, t.CompletedAt = Failed, CodeInvalidAccount, in.Now
	return t
}

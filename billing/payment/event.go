package payment

import "perennial/billing/event"

// Announced returns the transaction as events show it: the data of the interface specification, and ids that help a
// receiver.
func (t Transaction) Announced() event.Payment {
	return event.Payment{
		ID: t.ID, CustomerID: t.CustomerID, Amount: int64(t.Amount), Currency: string(t.Currency),
		SubscriptionID: t.SubscriptionID, InvoiceID: t.InvoiceID, ChargeID: t.ChargeID,
	}
}

// Beginning announces a new charge: pending, or failed where it cannot be made.
func (t Transaction) Beginning() event.Data {
	if t.Status == Failed {
		return t.Failure()
	}
	return event.PaymentPending{Payment: t.Announced()}
}

// Failure announces an attempt that moved no money.
func (t Transaction) Failure() event.PaymentFailed {
	return event.PaymentFailed{
		Payment: t.Announced(), FailureReason: t.FailureReason, FailureCode: t.FailureCode, AttemptNumber: t.AttemptNumber,
	}
}

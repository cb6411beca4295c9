package payment

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/money"
)

// External is the provider of payments that were made outside Perennial, say by bank transfer. No account at a provider
// has this name; such a payment is a success from the beginning, so that it is never sent.
const External = "external"

// NewExternalInput describes a payment that was made outside, as a person reports it. PaidAt and Now are the customer's
// own time.
type NewExternalInput struct {
	ID             string
	CustomerID     string
	SubscriptionID string
	InvoiceID      string
	Amount         money.Minor
	Currency       money.Currency
	Method         string // how it was paid, as a code
	Reference      string // the payer's or the bank's; may be empty
	PaidAt         time.Time
	Now            time.Time
}

// NewExternal returns a charge that was paid outside Perennial.
func NewExternal(in NewExternalInput) Transaction {
	return Transaction{
		ID: in.ID, Type: Charge, Status: Success, CustomerID: in.CustomerID, SubscriptionID: in.SubscriptionID,
		InvoiceID: in.InvoiceID,
		Amount:    in.Amount, Currency: in.Currency, Description: "Invoice " + in.InvoiceID + ", paid outside",
		Trigger: collection.Manual, Provider: External, ProviderRef: in.Reference, Method: Method{Type: in.Method},
		DueAt: in.Now, CreatedAt: in.Now, CompletedAt: in.PaidAt, Revision: 1,
	}
}

// External reports whether the payment was made outside Perennial.
func (t Transaction) External() bool { return t.Provider == External }

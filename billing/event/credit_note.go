package event

// TypeCreditNoteCreated is the only type about credit notes: they never change.
const TypeCreditNoteCreated Type = "credit_note.created"

// CreditNote has the fields of all events about a credit note.
type CreditNote struct {
	ID             string `json:"id" doc:"The credit note; receivers deduplicate on it."`
	CustomerID     string `json:"customerId" doc:"The customer."`
	SubscriptionID string `json:"subscriptionId,omitempty" doc:"The subscription that the invoice bills."`
	InvoiceID      string `json:"invoiceId" doc:"The invoice that it credits."`
	Amount         int64  `json:"amount" doc:"What it gives back, taxes included, in minor units of the currency."`
	Currency       string `json:"currency" doc:"ISO 4217 code."`
	Reason         string `json:"reason" doc:"Why the invoice was credited."`
}

func (c CreditNote) about() about { return about{c.ID, c.CustomerID, c.SubscriptionID} }

// CreditNoteCreated means that parts of an invoice, or all of it, were given back. A refund in money that belongs to it
// has events of its own.
type CreditNoteCreated struct{ CreditNote }

// Type implements Data.
func (CreditNoteCreated) Type() Type { return TypeCreditNoteCreated }

package event

// The types about invoices.
const (
	TypeInvoiceIssued              Type = "invoice.issued"
	TypeInvoicePaid                Type = "invoice.paid"
	TypeInvoiceVoided              Type = "invoice.voided"
	TypeInvoiceMarkedUncollectible Type = "invoice.marked_uncollectible"
)

// Invoice is what every event about an invoice carries.
type Invoice struct {
	ID             string        `json:"id" doc:"The invoice; receivers deduplicate on it."`
	CustomerID     string        `json:"customerId" doc:"The customer."`
	SubscriptionID string        `json:"subscriptionId" doc:"The subscription."`
	Object         InvoiceObject `json:"object" doc:"The invoice as the interface specification shows it."`
}

// InvoiceObject is the invoice as the interface specification shows it.
type InvoiceObject struct {
	ID        string `json:"id" doc:"The invoice."`
	Object    string `json:"object" enum:"invoice" doc:"invoice, always."`
	AmountDue int64  `json:"amount_due" doc:"Minor units of the currency."`
	Status    string `json:"status" doc:"The status of the invoice."`
	Currency  string `json:"currency" doc:"ISO 4217 code."`
}

func (i Invoice) about() about { return about{i.ID, i.CustomerID, i.SubscriptionID} }

// InvoiceIssued means that a bill exists.
type InvoiceIssued struct{ Invoice }

// InvoicePaid means that nothing of it is left to pay.
type InvoicePaid struct{ Invoice }

// InvoiceVoided means that it was withdrawn.
type InvoiceVoided struct{ Invoice }

// InvoiceMarkedUncollectible means that a person gave it up. It stays owed, but nothing is collected any more.
type InvoiceMarkedUncollectible struct{ Invoice }

// Type implements Data.
func (InvoiceIssued) Type() Type { return TypeInvoiceIssued }

// Type implements Data.
func (InvoicePaid) Type() Type { return TypeInvoicePaid }

// Type implements Data.
func (InvoiceVoided) Type() Type { return TypeInvoiceVoided }

// Type implements Data.
func (InvoiceMarkedUncollectible) Type() Type { return TypeInvoiceMarkedUncollectible }

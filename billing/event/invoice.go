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
	ID             string        `json:"id"`
	CustomerID     string        `json:"customerId"`
	SubscriptionID string        `json:"subscriptionId"`
	Object         InvoiceObject `json:"object"`
}

// InvoiceObject is the invoice as the interface specification shows it. AmountDue is in minor units.
type InvoiceObject struct {
	ID        string `json:"id"`
	Object    string `json:"object"` // "invoice"
	AmountDue int64  `json:"amount_due"`
	Status    string `json:"status"`
	Currency  string `json:"currency"`
}

func (i Invoice) about() about { return about{i.ID, i.CustomerID, i.SubscriptionID} }

// InvoiceIssued: a bill exists.
type InvoiceIssued struct{ Invoice }

// InvoicePaid: nothing of it is left to pay.
type InvoicePaid struct{ Invoice }

// InvoiceVoided: it was withdrawn.
type InvoiceVoided struct{ Invoice }

// InvoiceMarkedUncollectible: a person gave it up. It stays owed, but nothing is collected any more.
type InvoiceMarkedUncollectible struct{ Invoice }

// Type implements Data.
func (InvoiceIssued) Type() Type { return TypeInvoiceIssued }

// Type implements Data.
func (InvoicePaid) Type() Type { return TypeInvoicePaid }

// Type implements Data.
func (InvoiceVoided) Type() Type { return TypeInvoiceVoided }

// Type implements Data.
func (InvoiceMarkedUncollectible) Type() Type { return TypeInvoiceMarkedUncollectible }

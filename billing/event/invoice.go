package event

// The types about invoices.
const (
	TypeInvoiceCreated             Type = "invoice.created"
	TypeInvoiceUpdated             Type = "invoice.updated"
	TypeInvoiceDeleted             Type = "invoice.deleted"
	TypeInvoiceFinalized           Type = "invoice.finalized"
	TypeInvoicePaid                Type = "invoice.paid"
	TypeInvoicePaymentFailed       Type = "invoice.payment_failed"
	TypeInvoiceRetrySkipped        Type = "invoice.retry_skipped"
	TypeInvoiceVoided              Type = "invoice.voided"
	TypeInvoiceMarkedUncollectible Type = "invoice.marked_uncollectible"
	TypeInvoiceOverdue             Type = "invoice.overdue"
)

// Invoice has the fields of all events about an invoice.
type Invoice struct {
	ID             string        `json:"id" doc:"The invoice; receivers deduplicate on it."`
	CustomerID     string        `json:"customerId" doc:"The customer."`
	SubscriptionID string        `json:"subscriptionId,omitempty" doc:"The subscription; absent of a manual invoice."`
	Discount       int64         `json:"discount,omitempty" doc:"What coupons take off it, in minor units; below zero where it gives more discount back than it has."`
	Object         InvoiceObject `json:"object" doc:"The invoice as the interface specification shows it."`
}

// InvoiceObject is the invoice as the interface specification shows it.
type InvoiceObject struct {
	ID        string `json:"id" doc:"The invoice."`
	Object    string `json:"object" enum:"invoice" doc:"invoice, always."`
	AmountDue int64  `json:"amount_due" doc:"What there is to pay, also after it was paid, in minor units of the currency."`
	Status    string `json:"status" doc:"The status of the invoice."`
	Currency  string `json:"currency" doc:"ISO 4217 code."`
}

func (i Invoice) about() about { return about{i.ID, i.CustomerID, i.SubscriptionID} }

// InvoiceCreated means that an invoice exists. A manual invoice is a draft then.
type InvoiceCreated struct{ Invoice }

// InvoiceUpdated means that the draft of a manual invoice was changed.
type InvoiceUpdated struct{ Invoice }

// InvoiceDeleted means that the draft of a manual invoice was deleted: it never had a number.
type InvoiceDeleted struct{ Invoice }

// InvoiceFinalized means that an invoice has its number, and that its lines and its total are final. The invoice of a
// subscription is finalized as soon as it is created.
type InvoiceFinalized struct{ Invoice }

// InvoicePaid means that nothing of it is left to pay.
type InvoicePaid struct{ Invoice }

// InvoicePaymentFailed means that an attempt to collect an open invoice failed. The payment.failed before it says why.
type InvoicePaymentFailed struct {
	Invoice
	AttemptNumber        int   `json:"attemptNumber" doc:"Counts the attempts of the invoice from 1."`
	NextPaymentAttemptAt int64 `json:"nextPaymentAttemptAt,omitempty" doc:"When the next automatic attempt is due, in Unix seconds."`
}

// InvoiceRetrySkipped means that a command skipped the next automatic attempt to collect an open invoice. After the
// last one a subscription.past_due follows.
type InvoiceRetrySkipped struct {
	Invoice
	NextPaymentAttemptAt int64 `json:"nextPaymentAttemptAt,omitempty" doc:"When the next automatic attempt is due, in Unix seconds."`
}

// InvoiceVoided means that it was withdrawn.
type InvoiceVoided struct{ Invoice }

// InvoiceMarkedUncollectible means that a person gave it up. It stays owed, but nothing is collected any more.
type InvoiceMarkedUncollectible struct{ Invoice }

// InvoiceOverdue means that an invoice that was sent was not paid within its payment terms. It can still be paid.
type InvoiceOverdue struct {
	Invoice
	DueAt int64 `json:"dueAt" doc:"Until when it should have been paid, in Unix seconds."`
}

// Type implements Data.
func (InvoiceUpdated) Type() Type { return TypeInvoiceUpdated }

// Type implements Data.
func (InvoiceDeleted) Type() Type { return TypeInvoiceDeleted }

// Type implements Data.
func (InvoiceOverdue) Type() Type { return TypeInvoiceOverdue }

// Type implements Data.
func (InvoiceCreated) Type() Type { return TypeInvoiceCreated }

// Type implements Data.
func (InvoiceFinalized) Type() Type { return TypeInvoiceFinalized }

// Type implements Data.
func (InvoicePaid) Type() Type { return TypeInvoicePaid }

// Type implements Data.
func (InvoicePaymentFailed) Type() Type { return TypeInvoicePaymentFailed }

// Type implements Data.
func (InvoiceRetrySkipped) Type() Type { return TypeInvoiceRetrySkipped }

// Type implements Data.
func (InvoiceVoided) Type() Type { return TypeInvoiceVoided }

// Type implements Data.
func (InvoiceMarkedUncollectible) Type() Type { return TypeInvoiceMarkedUncollectible }

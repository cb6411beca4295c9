package subscription

// ProrationBehavior is the treatment of the proration of a change within a period.
type ProrationBehavior string

// The behaviors, named as Stripe names them. Empty: InvoiceNow.
const (
	InvoiceNow  ProrationBehavior = "always_invoice" // credit and charge are on an invoice at once
	NextInvoice ProrationBehavior = "create"         // they wait for the next invoice, whenever that is
	NoProration ProrationBehavior = "none"           // the period stays billed as it is
)

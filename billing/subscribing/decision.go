package subscribing

import (
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/metering"
	"perennial/billing/subscription"
)

// Decision is the effect of a command or an occurrence. The caller writes all of it in one transaction.
type Decision struct {
	Subscription subscription.Subscription
	Issue        []invoice.Draft
	Events       []event.Event
	// Passed are the periods that had already ended when the decision opened them.
	Passed []metering.Opened
	// Withdrawn is a change that is not made: its invoice is voided first, and later payments for it are refunded. Nil:
	// none.
	Withdrawn *subscription.PendingChange
	// Unused are coupons whose redemption counts as not used.
	Unused []string
	// StopCollection: no open invoice has automatic actions any more.
	StopCollection bool
	// Withdraw: open invoices are voided, and later payments for them are refunded.
	Withdraw bool
}

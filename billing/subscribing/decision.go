package subscribing

import (
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/metering"
	"perennial/billing/subscription"
)

// Decision is what a command or an occurrence leads to. The caller makes all of it true in one transaction.
type Decision struct {
	Subscription subscription.Subscription
	Issue        []invoice.Draft
	Events       []event.Event
	// Passed are the periods that were over when the decision opened them.
	Passed []metering.Opened
	// Unused are coupons whose redemption counts as not used.
	Unused []string
	// StopCollection: nothing automatic may happen to any open invoice any more.
	StopCollection bool
	// Withdraw: open invoices are voided, and what is still paid for them goes back.
	Withdraw bool
}

package subscribing

import (
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/subscription"
)

// Decision is what a command or an occurrence leads to. The caller makes all of it true in one transaction.
type Decision struct {
	Subscription subscription.Subscription
	Issue        []invoice.Draft
	Events       []event.Event
	// Unused are coupons whose redemption counts as not used.
	Unused []string
	// StopCollection: nothing automatic may happen to any open invoice any more.
	StopCollection bool
}

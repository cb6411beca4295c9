package subscription

import (
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
)

// Decision is what a trigger leads to. The caller makes all of it true in one transaction.
type Decision struct {
	Subscription Subscription
	Void         []string // open invoices to withdraw; Issue[i].Replaces names the one it stands in for
	Issue        []invoice.Draft
	Events       []event.Event
	// StopCollection: nothing automatic may happen to any open invoice any more.
	StopCollection bool
	// Refund is what of the current period's payment goes back to the customer; zero: nothing.
	Refund money.Minor
}

// Facts are what a decision depends on beside the subscription itself.
type Facts struct {
	Plan     plan.Plan
	Pending  *plan.Plan // of PendingPlanID
	Settings Settings
	Open     []invoice.Invoice // open invoices with lines, oldest first
	Paid     []invoice.Invoice // paid invoices with lines that pay for time in the current period
}

// invoiced tells whether some invoice, open or paid, bills the current period.
func (f Facts) invoiced(current period.Period) bool {
	for _, list := range [][]invoice.Invoice{f.Open, f.Paid} {
		for _, inv := range list {
			if inv.Period.End.Equal(current.End) {
				return true
			}
		}
	}
	return false
}

package subscription

import (
	"slices"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/tax"
)

// Decision is what a command or an occurrence leads to. The caller makes all of it true in one transaction.
type Decision struct {
	Subscription Subscription
	Issue        []invoice.Draft
	Events       []event.Event
	// Unused are coupons whose redemption counts as not used.
	Unused []string
	// StopCollection: nothing automatic may happen to any open invoice any more.
	StopCollection bool
}

// Facts are what a decision depends on beside the subscription itself.
type Facts struct {
	Plan    plan.Plan
	Pending *plan.Plan // of PendingPlanID
	// AddOns are the versions of add-ons that the subscription has or changes to, and those that a command brings.
	AddOns []plan.Plan
	// Scheduled are the plans and add-ons that scheduled changes lead to.
	Scheduled []plan.Plan
	Settings  Settings
	Open      []invoice.Invoice // open invoices with lines, oldest first
	Drafts    []invoice.Invoice // those that wait for the end of their grace, with lines
	Paid      []invoice.Invoice // paid invoices with lines that Subscription.Spans, oldest first
	// WrittenOff are the invoices that Subscription.Spans and a person voided or marked uncollectible.
	WrittenOff []invoice.Invoice
	// GivenBack is what went back, or is reserved or owed to go back, of the money that paid Paid.
	GivenBack money.Minor
	// CanPay: the customer has a payment method.
	CanPay bool
	// Rates are the taxes on what is billed now.
	Rates []tax.Rate
	// ItemID returns the id of the subscription's item for a price.
	ItemID func(priceID string) string
}

// Period is the current period of a subscription, with the facts that its cost depends on.
type Period struct {
	Subscription
	Facts Facts
}

// Situation is a subscription with the facts that decisions about it depend on. Its methods are the commands and the
// occurrences of a subscription's life.
type Situation struct{ Period }

// With returns the situation of a subscription with facts.
func With(s Subscription, f Facts) Situation { return Situation{Period{Subscription: s, Facts: f}} }

// Knowing returns the situation with plans and add-ons that a command brings.
func (s Situation) Knowing(brought ...plan.Plan) Situation {
	s.Facts.AddOns = slices.Concat(s.Facts.AddOns, brought)
	return s
}

// inCollection reports whether an open invoice other than paid has been tried already. One is at a time, so while the
// subscription is past due it is the one that made it so.
func (f Facts) inCollection(paid string) bool {
	for _, inv := range f.Open {
		if inv.ID != paid && inv.Status == invoice.Open && inv.Collection.Phase != collection.Waiting {
			return true
		}
	}
	return false
}

// openFor is the open invoice that was issued in a period, or the draft of one. There is one at most of the current
// one, since every later one takes in the lines of the one before.
func (f Facts) openFor(periodIndex int) *invoice.Invoice {
	for _, list := range [][]invoice.Invoice{f.Open, f.Drafts} {
		for i := range list {
			if list[i].PeriodIndex == periodIndex {
				return &list[i]
			}
		}
	}
	return nil
}

// invoiced reports whether some invoice was issued in a period: open, paid, or given up, since no period is billed
// again.
func (f Facts) invoiced(periodIndex int) bool {
	for _, list := range [][]invoice.Invoice{f.Open, f.Drafts, f.Paid, f.WrittenOff} {
		for _, inv := range list {
			if inv.PeriodIndex == periodIndex {
				return true
			}
		}
	}
	return false
}

// Package lifecycle composes the rules: it decides all consequences of an input in the life of one subscription. It
// takes a State, the time and the input, and returns the new State and the Changes to write. It is pure: no clock, no
// random, no I/O; ids come from an injected source. The callers (activities, service) load a State under lock, call
// Advance or Apply, and write the Changes in the same transaction. Other packages own the single rules (subscribing,
// collection, invoice, payment), the effects of a provider's answer (recording, which makes decisions in the same way),
// SQL (db), and the times of calls (workflows).
package lifecycle

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/balance"
	"perennial/billing/collection"
	"perennial/billing/costing"
	"perennial/billing/customer"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/overdue"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

// State has all facts of a decision about one subscription. The Subscription is empty for a transaction without one (a
// customer's own charge, or a refund of it) and for a manual invoice: see owner.
type State struct {
	Subscription subscription.Subscription
	Customer     customer.Customer // with the payment method that the subscription names, or the default
	// OtherMethods are the customer's other payment methods, in the order in which retries take turns. They are loaded
	// where TriesOtherMethods.
	OtherMethods []customer.Method
	Balance      money.Minor // plain balance of the customer in BalanceCurrency, minor units: without Grants
	// Grants are the customer's grants in BalanceCurrency that have a rest, or that an open invoice has used, by id. They
	// leave out voided ones.
	Grants []balance.Grant
	// Currency is that of the manual invoice; empty: the subscription's.
	Currency money.Currency
	// Draft is the manual invoice while it is a draft; nil: none.
	Draft *invoice.Invoice
	// Drafts are the subscription's invoices in their grace, with lines, in the order of issue.
	Drafts []invoice.Invoice
	// Plan, PendingPlan, AddOns and Scheduled have their prices in the subscription's currency.
	Plan        plan.Plan
	PendingPlan *plan.Plan            // of Subscription.PendingPlanID
	AddOns      []plan.Plan           // of Subscription.AddOnRefs, in their order
	Scheduled   []plan.Plan           // of Subscription.ScheduledRefs, in their order
	Settings    subscription.Settings // of the environment
	TaxRates    []tax.Definition      // of the environment: all that may apply to the customer
	ClockNow    time.Time             // the time of the customer's test clock; zero: real time
	Open        []invoice.Invoice     // open invoices with lines, oldest first
	// Elsewhere are the customer's open invoices that are not among Open, without lines; nil: no overdue policy asks about
	// them.
	Elsewhere *[]invoice.Invoice
	// Paid are the paid invoices with lines that Subscription.Spans, oldest first, and behind them the lines that were
	// taken back.
	Paid       []invoice.Invoice
	WrittenOff []invoice.Invoice     // those that it spans and a person voided or marked uncollectible, with lines
	Pending    []payment.Transaction // undecided charges of the subscription, oldest first
	// Homes are the invoices, but void ones, of the lines that Subscription.PendingLines, Drafts and Open take back, by
	// line; nil: none.
	Homes map[string]string
	// Captures are the successful charges that settled Paid, by invoice id.
	// They are loaded where MayGiveBack, and for commands that give back: see GivesBack.
	Captures map[string]payment.Transaction
	Provider *Provider // the environment's primary provider; nil: none
	// WakePending: a signal to the subscription's workflow is on its way.
	WakePending bool
}

// Provider is the provider configuration that gets new charges first.
type Provider struct {
	Name     string
	ConfigID string
	Limits   money.Limits // of its charges in the subscription's currency
}

// Moment has the time of a decision, and the source of new ids.
type Moment struct {
	Now  time.Time // the subscription's time; State.ClockNow overrides it
	Real time.Time // the wall clock's: the charge protocol runs in real time, also on a test clock
	IDs  IDs
}

// IDs creates the ids of new rows. With parts, the id is derived from them: the same parts give the same id, so that a
// repetition after a restore of the database sends the provider the same key. Such an id sorts by at. Without parts the
// id is random and sorts by real time.
type IDs interface {
	Invoice(at time.Time, parts ...string) string
	Line(at time.Time, parts ...string) string
	Item(at time.Time, parts ...string) string
	Transaction(at time.Time, parts ...string) string
	CreditNote(at time.Time, parts ...string) string
	TakenBack(at time.Time, parts ...string) string
	Dispute(at time.Time, parts ...string) string
	ScheduledChange(at time.Time, parts ...string) string
}

// ItemID returns the id of a subscription's item for a price. It is derived, so that a price has one item for the life
// of the subscription, also when a change of plan brings it back.
func ItemID(ids IDs, s subscription.Subscription, priceID string) string {
	return ids.Item(s.CreatedAt, s.ID, priceID)
}

// BalanceCurrency returns the currency of Balance.
func (s State) BalanceCurrency() money.Currency { return cmp.Or(s.Subscription.Currency, s.Currency) }

// settings returns the settings of the environment, with those of the customer and of the present plan.
func (s State) settings() subscription.Settings { return s.Settings.For(s.Plan, s.Customer.Dunning) }

// payer returns the customer's tax facts for sales by the environment's seller.
func (s State) payer() tax.Payer { return s.Customer.TaxPayer().SoldBy(s.Settings.Seller.Country) }

// Retries returns the number of retries in the dunning policy.
func (s State) Retries() int { return s.settings().Dunning.Retry.Retries }

// OverduePolicy returns the policy for the customer's debts; without states: none.
func (s State) OverduePolicy() overdue.Policy {
	switch {
	case !s.Customer.ErasedAt.IsZero():
		return overdue.Policy{}
	case s.Customer.OverduePolicy != nil:
		return *s.Customer.OverduePolicy
	}
	return s.Settings.Overdue
}

// ReviewsDebts reports whether decisions depend on Elsewhere.
func (s State) ReviewsDebts() bool {
	return !s.OverduePolicy().IsZero() || s.Customer.Overdue.State != ""
}

// TriesOtherMethods reports whether retries take turns among the customer's payment methods.
func (s State) TriesOtherMethods() bool { return s.settings().Dunning.TryOtherMethods }

// limits returns the amounts that the customer's provider takes; without a provider, any. They leave out amounts below
// the dunning policy's minimum.
func (s State) limits() money.Limits {
	var limits money.Limits
	if s.Provider != nil {
		limits = s.Provider.Limits
	}
	return s.settings().Dunning.Raise(limits, s.BalanceCurrency())
}

// Situation returns the subscription with the facts that decisions about it depend on.
func (s State) Situation() subscribing.Situation {
	return subscribing.With(s.Subscription, costing.Facts{
		Plan: s.Plan, Pending: s.PendingPlan, AddOns: s.AddOns, Scheduled: s.Scheduled, Settings: s.settings(), Open: s.Open,
		Drafts: s.Drafts, Paid: invoice.Joined(s.Paid), WrittenOff: s.WrittenOff, GivenBack: s.givenBack(),
		CanPay: s.Customer.CanPay(),
	})
}

// givenBack returns the refunded part of the current period's payments, where Captures are loaded. A payment outside
// counts as kept.
func (s State) givenBack() (sum money.Minor) {
	for _, charge := range s.Captures {
		if !charge.External() {
			sum += charge.Amount - charge.Captured().Refundable()
		}
	}
	return sum
}

// MayGiveBack reports whether a decision may have to give back money of Paid that no command asks for: it makes a
// scheduled change, or ends the subscription with its plan beside an add-on that is paid for longer.
func (s State) MayGiveBack() bool {
	if !s.Subscription.CancelAtPeriodEnd {
		return len(s.Subscription.Scheduled) > 0
	}
	return len(s.Subscription.Scheduled) > 0 || slices.ContainsFunc(s.AddOns, func(a plan.Plan) bool {
		return s.Subscription.Longer(a.Interval)
	})
}

// Attempt returns the pending charge that the subscription's workflow follows: the one with the earliest poll; nil:
// none. It may differ from the attempt of the invoice in collection: a called-off attempt is superfluous, but not
// ended. Charges that need review are not followed: a person or the provider must act first.
func (s State) Attempt() *payment.Transaction {
	var first *payment.Transaction
	for i := range s.Pending {
		if t := &s.Pending[i]; t.ParkedAt.IsZero() && (first == nil || t.NextCheckAt.Before(first.NextCheckAt)) {
			first = t
		}
	}
	return first
}

// InReview returns a pending charge that needs review; nil: none. Such a charge stops all other collection.
func (s State) InReview() *payment.Transaction {
	for i := range s.Pending {
		if t := &s.Pending[i]; !t.ParkedAt.IsZero() {
			return t
		}
	}
	return nil
}

// Next returns the next automatic action, and its time.
func (s State) Next() (subscription.Action, time.Time) { return s.owner().next(s) }

// dueNext returns the end of the time to pay the invoice in collection, if it was sent and the end was not announced. A
// payment that began before delays it.
func (s State) dueNext() (time.Time, bool) {
	i := s.IndexOpen(s.Subscription.CollectingInvoiceID)
	if i < 0 || s.Subscription.Status == subscription.Canceled {
		return time.Time{}, false
	}
	inv := s.Open[i]
	return inv.DueAt, !inv.DueAt.IsZero() && inv.OverdueAt.IsZero() && inv.Collection.Phase != collection.Charging
}

// IsOpen reports whether an invoice is among the open ones.
func (s State) IsOpen(invoiceID string) bool { return s.IndexOpen(invoiceID) >= 0 }

// IndexOpen returns the index of an open invoice; -1: it is not open.
func (s State) IndexOpen(invoiceID string) int {
	return slices.IndexFunc(s.Open, func(inv invoice.Invoice) bool { return inv.ID == invoiceID })
}

// Clone copies the parts that a decision changes in place, so that the caller's State does not change.
func (s State) Clone() State {
	s.Open, s.Paid, s.Pending = slices.Clone(s.Open), slices.Clone(s.Paid), slices.Clone(s.Pending)
	s.WrittenOff, s.Grants, s.Drafts = slices.Clone(s.WrittenOff), slices.Clone(s.Grants), slices.Clone(s.Drafts)
	if s.Draft != nil {
		draft := *s.Draft
		s.Draft = &draft
	}
	captures := make(map[string]payment.Transaction, len(s.Captures))
	for id, t := range s.Captures {
		captures[id] = t
	}
	s.Captures = captures
	return s
}

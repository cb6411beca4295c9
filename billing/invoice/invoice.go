// Package invoice owns invoices, their lines and their arithmetic. It does not own how an invoice is collected
// (collection) nor which lines a subscription's life produces (subscription).
package invoice

import (
	"slices"
	"time"

	"perennial/billing/balance"
	"perennial/billing/collection"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/tax"
	"perennial/billing/terms"
)

// Status of an invoice. Paid and void are final; an uncollectible one is paid by money that arrives late.
type Status string

// The statuses.
const (
	// InDraft: being written; it has no number yet, and nothing is owed.
	// That of a subscription waits until its grace is over.
	InDraft Status = "draft"
	Open    Status = "open"
	Paid    Status = "paid"
	Void    Status = "void"
	// Uncollectible: given up by a person.
	Uncollectible Status = "uncollectible"
	// TakenBack: no invoice, but the lines that a decision takes back of invoices. Its documents are credit notes. It has
	// no number, is in no list, and never changes.
	TakenBack Status = "taken_back"
)

// Reason is the reason why an invoice was issued.
type Reason string

// The reasons.
const (
	Create Reason = "subscription_create" // first period of a subscription
	Cycle  Reason = "subscription_cycle"  // a later period
	// a plan change within a period, or a cancellation that gives unused time back
	Update   Reason = "subscription_update"
	Recovery Reason = "subscription_recovery" // the current period, billed when a past-due subscription recovers
	Usage    Reason = "subscription_usage"    // usage alone: no renewal bills it
	Manual   Reason = "manual"                // written by a person or an app, without a subscription
)

// Invoice is a bill for one subscription, or one that a person wrote (a manual invoice). All amounts are minor units of
// Currency.
type Invoice struct {
	ID             string
	Number         int64  // gapless per environment; 0: a draft
	NumberText     string // as it is shown, by the numbering at issue; empty: the number alone
	Seller         Seller // by the settings at issue
	Buyer          Buyer  // as the customer was at issue; erased with the customer
	CustomerID     string
	SubscriptionID string // empty: a manual invoice
	TestClockID    string // of a manual invoice: its customer's
	Status         Status
	Reason         Reason
	Currency       money.Currency
	PeriodIndex    int // which period of the subscription it was issued in: Subscription.PeriodIndex
	Lines          []Line
	Discount       money.Minor   // what coupons take off the lines
	Tax            money.Minor   // added to the lines
	Taxes          Taxes         // by rate, as they were at issue
	TaxExempt      tax.Exemption // the customer's at issue; empty: none
	Total          money.Minor   // sum of the lines, less Discount, plus Tax; may be negative
	CreditApplied  money.Minor   // taken from the customer's credit ledger
	GrantsUsed     balance.Uses  // of CreditApplied: what credit grants paid; the rest was of the plain balance
	BroughtForward money.Minor   // of earlier invoices, collected with this one
	CarriedForward money.Minor   // of this one, too little to be charged: collected with a later one
	Credited       Credited      // by credit notes
	AmountDue      money.Minor   // max(Total, 0) - CreditApplied + BroughtForward - CarriedForward - Credited.Due
	AmountPaid     money.Minor   // AmountDue once paid, else 0
	Period         period.Period
	Terms          terms.Terms
	Memo           string         // a text for the customer on a manual invoice; erased with the customer
	Metadata       metadata.Pairs // of a manual invoice; erased with the customer
	DueAt          time.Time      // until when it has to be paid; zero: it is charged automatically
	OverdueAt      time.Time      // when it was announced as overdue; zero: it was not
	OwedSince      time.Time      // since when the unpaid invoice that it replaces was overdue; zero: it replaces none
	Collection     collection.State
	ReplacedBy     string
	// With is the invoice that the decision issued beside lines that it took back, whose notes paid it; empty: none, or
	// not TakenBack.
	With string
	// FinalizesAt is the time at which the draft of a subscription's invoice is issued automatically; kept from then
	// on. Zero: it is, or was, no such draft.
	FinalizesAt time.Time
	// UsageUntil is up to when it bills usage of segments that had ended: a draft waits for their rating. Zero: it bills
	// none.
	UsageUntil time.Time
	// UsageFailure is the reason why the rating of a draft failed; nil: it did not.
	UsageFailure *UsageFailure
	IssuedAt     time.Time // zero: a draft
	PaidAt       time.Time
	VoidedAt     time.Time
	// UncollectibleAt is the time at which a person gave it up; kept when it is paid nevertheless.
	UncollectibleAt time.Time
	LinkRevision    int // how often its page got a new link
	CreatedAt       time.Time
}

// Subtotal returns the sum of the lines, before discounts and taxes.
func (i Invoice) Subtotal() money.Minor { return i.Total - i.Tax + i.Discount }

// AwaitsUsage reports whether the invoice is a draft whose usage is not rated yet.
func (i Invoice) AwaitsUsage() bool { return i.Status == InDraft && !i.UsageUntil.IsZero() }

// Overdue reports whether an open invoice should have been paid by now.
func (i Invoice) Overdue(now time.Time) bool {
	return i.Status == Open && !i.DueAt.IsZero() && !now.Before(i.DueAt)
}

// TakesTimeBack reports whether the invoice credits time, or usage, that another one billed. A credit on one of its own
// lines does not count, since that line was never paid.
func (i Invoice) TakesTimeBack() bool {
	return slices.ContainsFunc(i.Lines, func(l Line) bool {
		if l.Kind == Metered && l.Amount < 0 {
			return true
		}
		own := func(other Line) bool { return other.ID == l.Reverses }
		return l.Kind == ProrationCredit && l.Amount < 0 && (l.Reverses == "" || !slices.ContainsFunc(i.Lines, own))
	})
}

// Package foresight looks ahead: at the result of a command, and at the automatic actions of a subscription. It plays
// the life on in memory, by the functions of lifecycle that would perform it, and writes nothing. It does not own a
// rule of billing.
package foresight

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"perennial/billing/creditnote"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// Previewed is the result that a command would have.
type Previewed struct {
	At     time.Time         // when, in the subscription's own time
	State  lifecycle.State   // after it
	Issued []invoice.Invoice // at once: by the command, and because they were due; some as drafts
	Quote  Quote
	// CreditNotes are written at once: by the command, and because they were due.
	CreditNotes []creditnote.Note
	// Upcoming are the invoices that follow automatically, as if every payment succeeded as soon as it is attempted.
	Upcoming []invoice.Invoice
	// UpcomingNotes are the credit notes that follow until then: by changes at dates, and by usage that was corrected.
	UpcomingNotes []creditnote.Note
}

// Quote is the immediate cost of a command, and the state of the subscription that it was asked for. Two equal quotes
// move the same money on the same invoices.
type Quote struct {
	SubscriptionID string        `json:"subscription"`
	Revision       int64         `json:"revision"` // of the subscription before
	PeriodIndex    int           `json:"period"`   // after
	Invoices       []QuotedTotal `json:"invoices"`
	Refund         money.Minor   `json:"refund"`  // in money
	Balance        money.Minor   `json:"balance"` // of the customer, afterwards
	// Plan and Pending name the versions of plans that the subscription is on afterwards, and will be on: later charges
	// are quoted too.
	Plan    string `json:"plan"`
	Pending string `json:"pending"`
	// AddOns are the add-ons afterwards, and those of the next period.
	AddOns []subscription.AddOns `json:"addOns,omitempty"`
	// Scheduled are the changes at dates afterwards, without their ids: a preview makes others.
	Scheduled subscription.ScheduledChanges `json:"scheduled,omitempty"`
	// Pended is the change that waits for the payment of its invoice, without its id and its invoice's.
	Pended *subscription.ScheduledChange `json:"pended,omitempty"`
	// Waiting is the sum of the prorations that wait for the next invoice, taxes included.
	Waiting money.Minor `json:"waiting,omitempty"`
	// The rest tells commands apart that cost the same now, and bill differently later.
	Quantity    int64               `json:"quantity"`
	Later       int64               `json:"later,omitempty"` // the quantity from the next period on, where it changes
	Status      subscription.Status `json:"status"`
	Ends        bool                `json:"ends,omitempty"` // with the period
	TrialEndsAt time.Time           `json:"trialEndsAt,omitzero"`
	ResumesAt   time.Time           `json:"resumesAt,omitzero"`
	Discounts   []QuotedDiscount    `json:"discounts,omitempty"`
	Terms       terms.Terms         `json:"terms,omitzero"`
}

// QuotedDiscount is a coupon of the subscription afterwards.
type QuotedDiscount struct {
	CouponID string `json:"coupon"`
	From     int    `json:"from"` // period
}

// QuotedTotal is an invoice of a Quote.
type QuotedTotal struct {
	Total         money.Minor `json:"total"`
	CreditApplied money.Minor `json:"credit"`
	AmountDue     money.Minor `json:"due"`
}

// Preview returns the result that a command would have now, and n of the invoices after it, by the same functions that
// would perform it; nothing is written. A nil command only looks ahead. Without known, invoices bill no usage; with it,
// the usage that is known by now, also on those of Issued that are drafts until it is rated. Faults: those of Apply;
// command_broken.
func Preview(
	s lifecycle.State, cmd lifecycle.Command, n int, known *Usage, at lifecycle.Moment,
) (Previewed, error) {
	play := playUsage(known, s)
	state, changes, err := lookAhead(s, cmd, at)
	if err != nil {
		return Previewed{}, err
	}
	out := Previewed{At: changes.At, State: state, Issued: changes.Invoices.Drawn(), CreditNotes: changes.CreditNotes}
	if out.Quote, err = quoteOf(s, state, changes); err != nil {
		return Previewed{}, err
	}
	play.follow(state, changes)
	f := newForesight(state, out.Issued, play, at)
	out.Upcoming, err = f.foresee(n)
	out.UpcomingNotes = f.notes
	if out.Issued = f.withUsage(out.Issued); err == nil {
		f.usage.end()
	}
	return out, lifecycle.Broken(err)
}

// withUsage returns the decided invoices; those that are drafts until their usage is rated have that usage. An invoice
// that bills nothing at all will not be issued.
func (f *foresight) withUsage(decided []invoice.Invoice) (all []invoice.Invoice) {
	for _, inv := range decided {
		billed, rated := f.billed[inv.ID]
		switch {
		case f.usage.Usage == nil || !inv.AwaitsUsage():
			all = append(all, inv)
		case rated:
			all = append(all, billed)
		case slices.ContainsFunc(f.Drafts, func(draft invoice.Invoice) bool { return draft.ID == inv.ID }):
			all = append(all, inv) // it was not reached
		}
	}
	return all
}

func lookAhead(
	s lifecycle.State, cmd lifecycle.Command, at lifecycle.Moment,
) (lifecycle.State, lifecycle.Changes, error) {
	if cmd != nil {
		return lifecycle.Apply(s, cmd, at)
	}
	state, changes, err := lifecycle.Advance(s, at)
	return state, changes, lifecycle.Broken(err)
}

// ApplyQuoted performs a command if it costs what was quoted. Faults: those of Apply, preview_outdated.
func ApplyQuoted(
	s lifecycle.State, cmd lifecycle.Command, quoted func(Quote) bool, at lifecycle.Moment,
) (lifecycle.State, lifecycle.Changes, error) {
	state, changes, err := lifecycle.Apply(s, cmd, at)
	switch {
	case errors.Is(err, subscribing.ErrRenewalDue): // only the time of the preview is of the period before
		return lifecycle.State{}, lifecycle.Changes{}, ErrPreviewOutdated
	case err != nil:
		return lifecycle.State{}, lifecycle.Changes{}, err
	}
	quote, err := quoteOf(s, state, changes)
	if err == nil && !quoted(quote) {
		err = ErrPreviewOutdated
	}
	if err != nil {
		return lifecycle.State{}, lifecycle.Changes{}, err
	}
	return state, changes, nil
}

func quoteOf(before, after lifecycle.State, changes lifecycle.Changes) (Quote, error) {
	q := Quote{
		SubscriptionID: before.Subscription.ID, Revision: before.Subscription.Revision,
		PeriodIndex: after.Subscription.PeriodIndex, Balance: after.Balance,
		Plan: version(after.Subscription.Plan()), Pending: version(after.Subscription.PendingPlan()),
	}
	waits, err := after.Situation().Waits()
	if err != nil {
		return Quote{}, err
	}
	q.Waiting = waits
	if sold := after.Subscription; len(sold.AddOnRefs()) > 0 {
		q.AddOns = []subscription.AddOns{sold.AddOns, sold.NextAddOns()}
	}
	q.Scheduled = slices.Clone(after.Subscription.Scheduled)
	for i := range q.Scheduled {
		q.Scheduled[i].ID = ""
	}
	is := after.Subscription
	if is.PendingChange != nil {
		pended := is.PendingChange.ScheduledChange
		pended.ID, pended.At = "", time.Time{} // the time of the preview
		q.Pended = &pended
	}
	q.Status, q.Ends, q.Terms = is.Status, is.CancelAtPeriodEnd, is.Terms
	q.TrialEndsAt, q.ResumesAt = is.TrialEndsAt, is.ResumesAt
	q.Quantity, q.Later = is.Quantity, is.PendingQuantity
	for _, d := range is.Discounts {
		q.Discounts = append(q.Discounts, QuotedDiscount{d.CouponID, d.From})
	}
	for _, inv := range changes.Invoices.Drawn() {
		q.Invoices = append(q.Invoices, QuotedTotal{inv.Total, inv.CreditApplied, inv.AmountDue})
	}
	for _, t := range changes.NewTransactions {
		if t.Type == payment.Refund {
			q.Refund += t.Amount
		}
	}
	return q, nil
}

func version(r plan.Ref) string { return r.ID + "." + strconv.Itoa(r.Version) }

// ErrPreviewOutdated refuses a command that would cost something else than was quoted.
var ErrPreviewOutdated = fault.New(fault.Conflict, "preview_outdated",
	"The preview is outdated, or of another change: this one does not cost what it showed. Make a new preview.")

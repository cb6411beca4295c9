package lifecycle

import (
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// Previewed is what a command would lead to.
type Previewed struct {
	At     time.Time         // when, in the subscription's own time
	State  State             // after it
	Issued []invoice.Invoice // at once
	Quote  Quote
	// Upcoming are the invoices that follow by themselves; see Foresee.
	Upcoming []invoice.Invoice
}

// Quote is what a command costs at once. Two that are equal move the same money on the same invoices. It is small and
// has no names, so that it may travel with whoever asked for it.
type Quote struct {
	Revision int64         `json:"r"` // of the subscription that it is about
	Invoices []QuotedTotal `json:"i,omitempty"`
	Refund   money.Minor   `json:"g,omitzero"` // in money
	Balance  money.Minor   `json:"b,omitzero"` // of the customer, afterwards
}

// QuotedTotal is an invoice of a Quote.
type QuotedTotal struct {
	Total         money.Minor `json:"t"`
	CreditApplied money.Minor `json:"c,omitzero"`
	AmountDue     money.Minor `json:"d,omitzero"`
}

// Equal reports whether both move the same money.
func (q Quote) Equal(other Quote) bool {
	return q.Revision == other.Revision && q.Refund == other.Refund && q.Balance == other.Balance &&
		slices.Equal(q.Invoices, other.Invoices)
}

// Preview returns what a command would lead to now, and the n invoices after it, by the same functions that would perform
// it; nothing is written. A nil command only looks ahead. Faults: those of Apply and Foresee.
func Preview(s State, cmd Command, n int, at Moment) (Previewed, error) {
	out := Previewed{At: s.Time(at), State: s, Quote: Quote{Revision: s.Subscription.Revision, Balance: s.Balance}}
	if cmd != nil {
		state, changes, err := Apply(s, cmd, at)
		if err != nil {
			return Previewed{}, err
		}
		out.State, out.Issued, out.Quote = state, changes.NewInvoices, quoteOf(s, state, changes)
	}
	var err error
	out.Upcoming, err = foreseeAfter(out.State, out.Issued, n, at)
	return out, err
}

// ApplyQuoted performs a command where that costs what was quoted. Faults: those of Apply, preview_outdated.
func ApplyQuoted(s State, cmd Command, quoted Quote, at Moment) (State, Changes, error) {
	if s.Subscription.Revision != quoted.Revision {
		return State{}, Changes{}, ErrPreviewOutdated
	}
	state, changes, err := Apply(s, cmd, at)
	if err != nil {
		return State{}, Changes{}, err
	}
	if !quoteOf(s, state, changes).Equal(quoted) {
		return State{}, Changes{}, ErrPreviewOutdated
	}
	return state, changes, nil
}

func quoteOf(before, after State, changes Changes) Quote {
	q := Quote{Revision: before.Subscription.Revision, Balance: after.Balance}
	for _, inv := range changes.NewInvoices {
		q.Invoices = append(q.Invoices, QuotedTotal{inv.Total, inv.CreditApplied, inv.AmountDue})
	}
	for _, t := range changes.NewTransactions {
		if t.Type == payment.Refund {
			q.Refund += t.Amount
		}
	}
	return q
}

// ErrPreviewOutdated refuses a command that would cost something else than was quoted.
var ErrPreviewOutdated = fault.New(fault.Conflict, "preview_outdated",
	"The preview is outdated: the change would no longer cost what it showed. Make a new preview.")

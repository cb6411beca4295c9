// Package invoicing owns manual invoices: what a person or an app bills a customer for without a subscription, from the
// draft to the invoice. It does not own the arithmetic of invoices (invoice) nor their collection (collection).
package invoicing

import (
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/tax"
	"perennial/billing/terms"
)

// ErrNotDraft refuses to change, delete or finalize an invoice that is none of the drafts any more.
var ErrNotDraft = fault.New(fault.Conflict, "invoice_not_draft",
	"The invoice is finalized: what it bills never changes. Void it or credit it instead.")

// ErrDraft refuses what only an issued invoice can take.
var ErrDraft = fault.New(fault.Conflict, "invoice_is_draft",
	"The invoice is a draft: nothing is owed yet. Finalize it first, or change or delete the draft.")

// Content is what a person writes: the lines and how the invoice is to be paid.
type Content struct {
	Lines []Line
	Terms terms.Terms
}

// Around is what surrounds a draft when it is written: the taxes that hold then, the ids of its lines, and the time.
type Around struct {
	Rates  []tax.Rate
	Exempt tax.Exemption // the customer's
	LineID func(position int) string
	Now    time.Time
}

// Identity is whose invoice it is.
type Identity struct {
	ID          string
	CustomerID  string
	TestClockID string
	Currency    money.Currency
}

// New is the draft of an invoice. Its sums are those that it would have now; finalizing it sums it up anew. Faults: those of
// Line, of terms.Terms and amount_too_large; lines_missing.
func New(id Identity, c Content, around Around) (invoice.Invoice, error) {
	return written(invoice.Invoice{
		ID: id.ID, CustomerID: id.CustomerID, TestClockID: id.TestClockID, Currency: id.Currency,
		Status: invoice.InDraft, Reason: invoice.Manual,
		Period:     period.Period{Start: around.Now, End: around.Now},
		Collection: collection.State{Phase: collection.Waiting}, CreatedAt: around.Now,
	}, c, around)
}

// Revise replaces the content of a draft. Faults: invoice_not_draft, those of New.
func Revise(draft invoice.Invoice, c Content, around Around) (invoice.Invoice, error) {
	if draft.Status != invoice.InDraft {
		return draft, ErrNotDraft
	}
	return written(draft, c, around)
}

// Deletable reports whether an invoice can be deleted without a trace: only a draft can. Fault: invoice_not_draft.
func Deletable(inv invoice.Invoice) error {
	if inv.Status != invoice.InDraft {
		return ErrNotDraft
	}
	return nil
}

func written(inv invoice.Invoice, c Content, around Around) (invoice.Invoice, error) {
	if err := c.Terms.Validate(); err != nil {
		return inv, err
	}
	if len(c.Lines) == 0 {
		return inv, fault.InvalidParam("lines", "lines_missing", "`lines` is empty. Send at least one line.")
	}
	lines := make([]invoice.Line, len(c.Lines))
	for i, l := range c.Lines {
		line, err := l.bill(inv.Currency)
		if err != nil {
			return inv, err
		}
		line.ID, line.Rates, line.Period = around.LineID(i), around.Rates, inv.Period
		lines[i] = line
	}
	sums, err := invoice.Draft{Lines: lines}.Sums()
	if err != nil {
		return inv, err
	}
	inv.Lines, inv.Terms, inv.TaxExempt = lines, c.Terms, around.Exempt
	inv.Tax, inv.Taxes, inv.Total, inv.AmountDue = sums.Tax, sums.Taxes, sums.Total, sums.Total
	return inv, nil
}

// Finalize issues a draft: its lines are taxed with the rates that hold now, the customer's balance counts, and what is
// billed never changes from then on. Its lines keep their ids. Of Issuing the identity and the terms are the draft's.
// Faults: invoice_not_draft, amount_too_large.
func Finalize(draft invoice.Invoice, rates []tax.Rate, in invoice.Issuing) (invoice.Issued, error) {
	if draft.Status != invoice.InDraft {
		return invoice.Issued{}, ErrNotDraft
	}
	at := period.Period{Start: in.Now, End: in.Now}
	lines := slices.Clone(draft.Lines)
	for i := range lines {
		lines[i].Rates, lines[i].Period = rates, at
	}
	in.ID, in.CustomerID, in.SubscriptionID, in.Currency = draft.ID, draft.CustomerID, "", draft.Currency
	in.Terms = draft.Terms
	out, err := invoice.Draft{Reason: invoice.Manual, Period: at, Lines: lines}.Issue(in)
	if err != nil {
		return invoice.Issued{}, err
	}
	out.Invoice.CreatedAt, out.Invoice.TestClockID = draft.CreatedAt, draft.TestClockID
	return out, nil
}

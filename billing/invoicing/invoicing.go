// Package invoicing owns manual invoices: bills of a person or an app without a subscription, from the draft to the
// invoice. It does not own the arithmetic of invoices (invoice) nor their collection (collection).
package invoicing

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/tax"
	"perennial/billing/terms"
)

// ErrNotDraft refuses to change, delete or finalize an invoice that is none of the drafts any more.
var ErrNotDraft = fault.New(fault.Conflict, "invoice_not_draft",
	"The invoice is finalized: what it bills never changes. Void it or credit it instead.")

// ErrOfSubscription refuses to change or delete the draft of a subscription by hand.
var ErrOfSubscription = fault.New(fault.Conflict, "invoice_of_subscription",
	"The draft bills a subscription, and follows from it. Change the subscription, or finalize the draft.")

// ErrCustomerDeleted refuses to bill a customer who was deleted.
var ErrCustomerDeleted = fault.New(fault.Conflict, "invoice_customer_deleted",
	"The customer of this draft was deleted, so that it cannot be finalized. Delete the draft.")

// ErrDraft refuses what only an issued invoice can take.
var ErrDraft = fault.New(fault.Conflict, "invoice_is_draft",
	"The invoice is a draft: nothing is owed yet. Finalize it first, or change or delete the draft.")

// Content is the input of a person: the lines and the terms of payment.
type Content struct {
	Lines    []Line
	Terms    terms.Terms
	Memo     string // for the customer
	Metadata metadata.Pairs
}

// Around has the circumstances of a draft when it is written: the present taxes, the ids of its lines, and the time.
type Around struct {
	Rates  tax.Held      // of all categories
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

// New returns the draft of an invoice. Its sums are those that it would have now; finalizing it sums it up again.
// Faults: those of Line, of terms.Terms and metadata.Pairs, amount_too_large; lines_missing.
func New(id Identity, c Content, around Around) (invoice.Invoice, error) {
	if err := cmp.Or(c.Terms.Validate(), c.Metadata.Check()); err != nil {
		return invoice.Invoice{}, err
	}
	lines, err := billed(c.Lines, id.Currency, around.LineID)
	if err != nil {
		return invoice.Invoice{}, err
	}
	return summed(invoice.Invoice{
		ID: id.ID, CustomerID: id.CustomerID, TestClockID: id.TestClockID, Currency: id.Currency,
		Status: invoice.InDraft, Reason: invoice.Manual,
		Terms: c.Terms, Memo: c.Memo, Metadata: c.Metadata, Period: period.Period{Start: around.Now, End: around.Now},
		Collection: collection.State{Phase: collection.Waiting}, CreatedAt: around.Now,
	}, lines, around)
}

// Change has a person's changes of a draft; nil: unchanged.
type Change struct {
	Lines    []Line // replace all
	Method   *terms.Method
	NetDays  *int
	Memo     *string         // empty: none
	Metadata *metadata.Pairs // replaces all
}

// Revise changes a draft, and sums it up with the present taxes. An invoice that is charged automatically has no days
// to wait. Faults: invoice_not_draft, those of New.
func Revise(draft invoice.Invoice, c Change, around Around) (invoice.Invoice, error) {
	if draft.Status != invoice.InDraft {
		return draft, ErrNotDraft
	}
	how, err := draft.Terms.Changed(c.Method, c.NetDays)
	if err == nil && c.Metadata != nil {
		err = c.Metadata.Check()
	}
	lines := draft.Lines
	if err == nil && c.Lines != nil {
		lines, err = billed(c.Lines, draft.Currency, around.LineID)
	}
	if err != nil {
		return draft, err
	}
	draft.Terms = how
	if c.Memo != nil {
		draft.Memo = *c.Memo
	}
	if c.Metadata != nil {
		draft.Metadata = *c.Metadata
	}
	return summed(draft, lines, around)
}

// Changeable refuses to change or delete an invoice by hand, unless it is a draft and bills no subscription. Faults:
// invoice_not_draft, invoice_of_subscription.
func Changeable(inv invoice.Invoice) error {
	switch {
	case inv.Status != invoice.InDraft:
		return ErrNotDraft
	case inv.SubscriptionID != "":
		return ErrOfSubscription
	}
	return nil
}

// billed converts a person's lines to invoice lines. Faults: lines_missing, tax_category_malformed,
// those of Line.
func billed(written []Line, c money.Currency, id func(position int) string) ([]invoice.Line, error) {
	if len(written) == 0 {
		return nil, fault.InvalidParam("lines", "lines_missing", "`lines` is empty. Send at least one line.")
	}
	lines := make([]invoice.Line, len(written))
	for i, l := range written {
		err := l.TaxCategory.Validate()
		if err != nil {
			return nil, fault.From(err).Within(fmt.Sprintf("lines[%d]", i))
		}
		if lines[i], err = l.bill(c); err != nil {
			return nil, err
		}
		lines[i].ID = id(i)
	}
	return lines, nil
}

// summed is the draft with some lines. Fault: amount_too_large.
func summed(draft invoice.Invoice, lines []invoice.Line, around Around) (invoice.Invoice, error) {
	draft.Lines = taxed(lines, around.Rates, draft.Period)
	sums, err := invoice.Draft{Lines: draft.Lines}.Sums()
	if err != nil {
		return draft, err
	}
	draft.TaxExempt, draft.Tax, draft.Taxes = around.Exempt, sums.Tax, sums.Taxes
	draft.Total, draft.AmountDue = sums.Total, sums.Total
	return draft, nil
}

func taxed(lines []invoice.Line, rates tax.Held, at period.Period) []invoice.Line {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].Rates, lines[i].Period = rates.For(lines[i].TaxCategory), at
	}
	return lines
}

// Finalize issues a draft: its lines are taxed with the present rates, the customer's balance counts, and the billed
// amounts never change from then on. Its lines keep their ids. The identity and the terms of Issuing are replaced by
// the draft's. Faults: invoice_not_draft, amount_too_large.
func Finalize(draft invoice.Invoice, rates tax.Held, in invoice.Issuing) (invoice.Issued, error) {
	if draft.Status != invoice.InDraft {
		return invoice.Issued{}, ErrNotDraft
	}
	at := period.Period{Start: in.Now, End: in.Now}
	in.ID, in.CustomerID, in.SubscriptionID, in.Currency = draft.ID, draft.CustomerID, "", draft.Currency
	in.Terms = draft.Terms
	out, err := invoice.Draft{Reason: invoice.Manual, Period: at, Lines: taxed(draft.Lines, rates, at)}.Issue(in)
	if err != nil {
		return invoice.Issued{}, err
	}
	out.Invoice.CreatedAt, out.Invoice.TestClockID = draft.CreatedAt, draft.TestClockID
	out.Invoice.Memo, out.Invoice.Metadata = draft.Memo, draft.Metadata
	return out, nil
}

package lifecycle

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/giveback"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/metering"
	"perennial/billing/subscription"
)

// grace returns the end of an invoice's time as a draft; ok is false where it is issued at once. A renewal has the
// environment's grace, and the replacement of a draft has the rest of the draft's. After the end of the subscription
// only an invoice that waits for the rating of usage has a grace. No grace is longer than the period, so that there is
// at most one draft, unless a change shortens the period. An invoice that is created after its grace is issued in the
// same decision, in its turn.
func (d *Decision) grace(draft invoice.Draft) (until time.Time, ok bool) {
	ended := d.Subscription.Status == subscription.Canceled
	usage := !draft.UsageUntil.IsZero()
	if ended && !usage {
		return time.Time{}, false
	}
	if i := d.indexDraft(draft.Replaces); i >= 0 {
		return d.Drafts[i].FinalizesAt, true
	}
	minutes := d.settings().InvoiceGraceMinutes
	if !usage && (!draft.Waits || minutes == 0) {
		return time.Time{}, false
	}
	until = d.due.Add(time.Duration(minutes) * time.Minute)
	paused := d.Subscription.Status == subscription.Paused // its period may have ended long ago
	if end := d.Subscription.CurrentPeriod.End; end.Before(until) && !ended && !paused {
		until = end
	}
	return until, true
}

// draw creates an invoice as a draft for its grace.
func (d *Decision) draw(draft invoice.Draft, in invoice.Issuing, until time.Time) error {
	inv, err := draft.Draw(in, until)
	if err != nil {
		return err
	}
	d.Drafts = append(d.Drafts, inv)
	slices.SortFunc(d.Drafts, byGrace) // a change shortened the period: the earlier draft may have the later end
	d.Changes.Invoices.add(DraftCreated, inv)
	d.Announce(event.InvoiceCreated{Invoice: inv.Announced()})
	return nil
}

// redraw replaces the lines of draft i by those of a later draft, which contain them. It keeps its id: a database that
// is restored to a moment before the change charges with the same key.
func (d *Decision) redraw(i int, draft invoice.Draft) error {
	was := d.Drafts[i]
	draft.Reason, draft.Period.Start, draft.UsageUntil = was.Reason, was.Period.Start, was.UsageUntil
	draft = draft.Identify(func(position int) string { return d.lineID(draft, was.ID, position) })
	inv, err := draft.Draw(issuingDraft(d, was), was.FinalizesAt)
	if err != nil {
		return err
	}
	inv.CreatedAt = was.CreatedAt
	d.Drafts[i] = inv
	d.Changes.Invoices.redraw(inv)
	d.Announce(event.InvoiceUpdated{Invoice: inv.Announced()})
	return nil
}

// finalize issues draft i, with the present credit and the subscription's present terms.
func (d *Decision) finalize(i int) error {
	drawn := d.Drafts[i]
	draft := d.situation().Redrawn(drawn)
	d.Drafts = slices.Delete(d.Drafts, i, i+1)
	in := issuingDraft(d, drawn)
	in.TaxExempt = drawn.TaxExempt // its taxes are those of its creation
	// the present action was due before the draft: credit that had ended by then is not used
	if in.At.Before(drawn.Period.Start) {
		in.At = drawn.Period.Start
	}
	split, gives, err := giveback.Of(draft, issuedLines(d))
	if err != nil {
		return err
	}
	if gives {
		return finalizeTakenBack(d, drawn, split, in)
	}
	out, err := draft.Issue(in)
	if err != nil {
		return err
	}
	out.Invoice.CreatedAt, out.Invoice.FinalizesAt = drawn.CreatedAt, drawn.FinalizesAt
	d.Changes.Invoices.finalize(out.Invoice)
	// An ended subscription makes no later attempt: the invoice gets the one that it would have had.
	ended := d.Subscription.Status == subscription.Canceled
	usual := !drawn.UsageUntil.IsZero() // the rating of a last invoice of usage may take any time
	draft.Attempt = ended && len(d.Open) == 0 && (usual || d.Now.Sub(drawn.FinalizesAt) <= lastAttemptWithin)
	return d.issued(out, draft)
}

// finalizeTakenBack issues a draft that gives back at least what it bills. Its lines keep their ids, on the invoice or
// among those that are taken back.
func finalizeTakenBack(d *Decision, drawn invoice.Invoice, split giveback.Split, in invoice.Issuing) error {
	backID := d.IDs.TakenBack(d.sortsBy(split.Bill.Period.Start), drawn.ID)
	if len(split.Bill.Lines) == 0 {
		backID = drawn.ID // other rows may name it
		d.Changes.Invoices.discard(drawn)
		d.Announce(event.InvoiceDeleted{Invoice: drawn.Announced()})
	}
	identifyNotes(d, split.Notes, backID, d.sortsBy(drawn.Period.Start))
	return documents(d, split, in, backID, func(inv invoice.Invoice) invoice.Invoice {
		inv.CreatedAt, inv.FinalizesAt = drawn.CreatedAt, drawn.FinalizesAt
		rest := drawn
		rest.Lines, rest.Discount, rest.Tax, rest.Taxes = inv.Lines, inv.Discount, inv.Tax, inv.Taxes
		rest.Total, rest.AmountDue = inv.Total, inv.Total
		d.Changes.Invoices.redraw(rest)
		d.Changes.Invoices.finalize(inv)
		return inv
	})
}

// lastAttemptWithin is the time after its grace in which the draft of an ended subscription is still charged
// automatically. A build without drafts ended it: a customer who left must not be charged for a whole period weeks
// later. The invoice is issued all the same, for a person to decide.
const lastAttemptWithin = 24 * time.Hour

// finalizeAlone issues draft i where nothing else follows in the decision. If the subscription has ended already, as a
// build without drafts leaves it, no later decision would close the invoice or make its one attempt. Payments that a
// person requested continue.
func (d *Decision) finalizeAlone(i int) error {
	if err := d.finalize(i); err != nil || d.Subscription.Status != subscription.Canceled {
		return err
	}
	return d.stopThose(func(inv invoice.Invoice) bool { return inv.Collection.Phase == collection.Waiting })
}

// finalizeAll issues all drafts early, except those that wait for the rating of usage.
func (d *Decision) finalizeAll() error {
	for i := 0; i < len(d.Drafts); {
		if d.Drafts[i].AwaitsUsage() {
			i++
			continue
		}
		if err := d.finalize(i); err != nil {
			return err
		}
	}
	return nil
}

// discard removes draft i: another invoice replaces it, or it would have no recipient.
func (d *Decision) discard(i int) {
	gone := d.Drafts[i]
	d.Drafts = slices.Delete(d.Drafts, i, i+1)
	d.Changes.Invoices.discard(gone)
	d.Announce(event.InvoiceDeleted{Invoice: gone.Announced()})
}

// indexDraft returns the index of a draft invoice; -1: there is none.
func (s State) indexDraft(invoiceID string) int {
	return slices.IndexFunc(s.Drafts, func(inv invoice.Invoice) bool { return inv.ID == invoiceID })
}

// nextDraft returns the draft that is issued, or tried again, first.
func (s State) nextDraft() (next invoice.Invoice, ok bool) {
	for _, draft := range s.Drafts {
		if !ok || draft.TriedAt().Before(next.TriedAt()) {
			next, ok = draft, true
		}
	}
	return next, ok
}

// ranked sorts invoices by their present or future numbers: finalized drafts get theirs before invoices that never were
// drafts.
func (d *Decision) ranked(list []invoice.Invoice) []invoice.Invoice {
	if len(d.Changes.Invoices.Of(InvoiceFinalized)) == 0 {
		return list
	}
	numbered := d.Changes.Invoices.Of(InvoiceFinalized, InvoiceCreated)
	rank := func(inv invoice.Invoice) int {
		if inv.Status == invoice.TakenBack {
			return len(numbered) + 1
		}
		return 1 + slices.IndexFunc(numbered, func(other invoice.Invoice) bool { return other.ID == inv.ID })
	}
	slices.SortStableFunc(list, func(a, b invoice.Invoice) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// byGrace compares drafts by the end of their grace.
func byGrace(a, b invoice.Invoice) int {
	return cmp.Or(a.FinalizesAt.Compare(b.FinalizesAt), cmp.Compare(a.ID, b.ID))
}

// notDraft refuses commands that need an issued invoice: invoice_is_draft.
func (s State) notDraft(invoiceID string) error {
	if s.indexDraft(invoiceID) >= 0 {
		return invoicing.ErrDraft
	}
	return nil
}

// FinalizeInvoice issues the draft of a subscription's invoice before its grace ends. A draft that waits for usage is
// issued after the rating, which begins now. Fault: invoice_not_draft.
type FinalizeInvoice struct {
	InvoiceID string
	// WithoutUsage issues it at once; the usage that it waits for stays owed, and the next invoice bills it.
	WithoutUsage bool
}

// Name returns pay: the workflow handles it as a payment, with an attempt to follow.
func (FinalizeInvoice) Name() string { return "pay" }

// hasten starts the rating of draft i's usage now. A due rating is in progress already, unless it failed.
func hasten(d *Decision, i int) {
	hastened := d.Drafts[i]
	switch failure := hastened.UsageFailure; {
	case failure != nil:
		again := *failure
		again.RetryAt = d.Now
		hastened.UsageFailure = &again
	case !d.Now.Before(hastened.FinalizesAt):
		return
	default:
		hastened.FinalizesAt = d.Now
		d.Announce(event.InvoiceUpdated{Invoice: hastened.Announced()})
	}
	d.Drafts[i] = hastened
	slices.SortFunc(d.Drafts, byGrace)
	d.Changes.Invoices.redraw(hastened)
}

func (c FinalizeInvoice) judge(d *Decision) (func() error, error) {
	i := d.indexDraft(c.InvoiceID)
	if i < 0 {
		return nil, invoicing.ErrNotDraft
	}
	if d.Drafts[i].AwaitsUsage() && c.WithoutUsage {
		return func() error {
			if d.Subscription.Status == subscription.Canceled { // no invoice will follow
				d.Subscription = metering.Billed(d.Subscription, d.Drafts[i].UsageUntil)
			}
			if d.Drafts[i].UsageUntil = (time.Time{}); len(d.Drafts[i].Lines) == 0 {
				d.discard(i)
				return nil
			}
			return d.finalizeAlone(i)
		}, nil
	}
	if d.Drafts[i].AwaitsUsage() {
		return func() error {
			hasten(d, i)
			return nil
		}, nil
	}
	return func() error { return d.finalizeAlone(i) }, nil
}

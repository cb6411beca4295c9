package lifecycle

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/metering"
	"perennial/billing/subscription"
)

// grace returns until when an invoice is a draft; ok is false where it is issued at once. A renewal waits for the
// environment's grace, and what takes a draft's place for what is left of it; but nothing waits once the subscription
// has ended, except for the rating of usage, nor for longer than its period, so that there is one draft at most,
// unless a change shortens the period. One that is made so late that its grace is over is issued in the same
// decision, in its turn.
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
	paused := d.Subscription.Status == subscription.Paused // its period may be long over
	if end := d.Subscription.CurrentPeriod.End; end.Before(until) && !ended && !paused {
		until = end
	}
	return until, true
}

// draw writes an invoice that is a draft until its grace is over.
func (d *Decision) draw(draft invoice.Draft, in invoice.Issuing, until time.Time) error {
	inv, err := draft.Draw(in, until)
	if err != nil {
		return err
	}
	d.Drafts = append(d.Drafts, inv)
	slices.SortFunc(d.Drafts, byGrace) // a change has shortened the period: the earlier draft may wait for longer
	d.Changes.Invoices.add(DraftCreated, inv)
	d.Announce(event.InvoiceCreated{Invoice: inv.Announced()})
	return nil
}

// redraw lets draft i bill what a later draft does, which has taken its lines in. It stays the invoice that it is, with
// its id: a database that is restored to a moment before the change charges under the same key.
func (d *Decision) redraw(i int, draft invoice.Draft) error {
	was := d.Drafts[i]
	draft.Reason, draft.Period.Start, draft.UsageUntil = was.Reason, was.Period.Start, was.UsageUntil
	draft = draft.Identify(func(position int) string { return d.lineID(draft, was.ID, position) })
	inv, err := draft.Draw(d.issuing(was.ID), was.FinalizesAt)
	if err != nil {
		return err
	}
	inv.CreatedAt = was.CreatedAt
	d.Drafts[i] = inv
	d.Changes.Invoices.redraw(inv)
	d.Announce(event.InvoiceUpdated{Invoice: inv.Announced()})
	return nil
}

// finalize issues draft i: credit counts as it is now, and the invoice is paid as the subscription's are now.
func (d *Decision) finalize(i int) error {
	drawn := d.Drafts[i]
	draft := d.situation().Redrawn(drawn)
	d.Drafts = slices.Delete(d.Drafts, i, i+1)
	in := d.issuing(drawn.ID)
	in.TaxExempt = drawn.TaxExempt // its taxes are those that it was drawn with
	// what is done now was due before the draft was: credit that had ended by then stays
	if in.At.Before(drawn.Period.Start) {
		in.At = drawn.Period.Start
	}
	out, err := draft.Issue(in)
	if err != nil {
		return err
	}
	out.Invoice.CreatedAt, out.Invoice.FinalizesAt = drawn.CreatedAt, drawn.FinalizesAt
	d.Changes.Invoices.finalize(out.Invoice)
	// An ended subscription makes no attempt later: the invoice gets the one that it would have had.
	ended := d.Subscription.Status == subscription.Canceled
	usual := !drawn.UsageUntil.IsZero() // a last invoice of usage waits for its rating, however long that takes
	draft.Attempt = ended && len(d.Open) == 0 && (usual || d.Now.Sub(drawn.FinalizesAt) <= lastAttemptWithin)
	return d.issued(out, draft)
}

// lastAttemptWithin is the time after its grace in which the draft of a subscription that has ended is still charged
// automatically. A build that knew of no drafts has ended it: a customer who left is not charged for a whole period
// weeks later. The invoice is issued all the same, for a person to decide.
const lastAttemptWithin = 24 * time.Hour

// finalizeAlone issues draft i where nothing else follows in the decision. Where the subscription has ended before, as
// a build that knew of no drafts leaves it, nothing else would close the invoice or make its one attempt. What a person
// has asked to pay goes on.
func (d *Decision) finalizeAlone(i int) error {
	if err := d.finalize(i); err != nil || d.Subscription.Status != subscription.Canceled {
		return err
	}
	return d.stopThose(func(inv invoice.Invoice) bool { return inv.Collection.Phase == collection.Waiting })
}

// finalizeAll issues all drafts before their time, but those that wait for the rating of usage.
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

// discard removes draft i: another invoice takes its place, or it would have no recipient.
func (d *Decision) discard(i int) {
	gone := d.Drafts[i]
	d.Drafts = slices.Delete(d.Drafts, i, i+1)
	d.Changes.Invoices.discard(gone)
	d.Announce(event.InvoiceDeleted{Invoice: gone.Announced()})
}

// indexDraft finds an invoice in draft; -1: there is none.
func (s State) indexDraft(invoiceID string) int {
	return slices.IndexFunc(s.Drafts, func(inv invoice.Invoice) bool { return inv.ID == invoiceID })
}

// nextDraft returns the draft that is to be issued first, or tried again first.
func (s State) nextDraft() (next invoice.Invoice, ok bool) {
	for _, draft := range s.Drafts {
		if !ok || draft.TriedAt().Before(next.TriedAt()) {
			next, ok = draft, true
		}
	}
	return next, ok
}

// ranked puts invoices in the order of the numbers that they have, or will be given: drafts that are finalized get
// theirs before invoices that were none.
func (d *Decision) ranked(list []invoice.Invoice) []invoice.Invoice {
	if len(d.Changes.Invoices.Of(InvoiceFinalized)) == 0 {
		return list
	}
	numbered := d.Changes.Invoices.Of(InvoiceFinalized, InvoiceCreated)
	rank := func(inv invoice.Invoice) int {
		return 1 + slices.IndexFunc(numbered, func(other invoice.Invoice) bool { return other.ID == inv.ID })
	}
	slices.SortStableFunc(list, func(a, b invoice.Invoice) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// addedToDrafts returns the drafts that were redrawn in this decision, with the lines that they had not before.
func (d *Decision) addedToDrafts() (added []invoice.Invoice) {
	for _, inv := range d.Changes.Invoices.Of(DraftUpdated) {
		i := slices.IndexFunc(d.draftsBefore, func(was invoice.Invoice) bool { return was.ID == inv.ID })
		inv.Lines = slices.DeleteFunc(slices.Clone(inv.Lines), func(l invoice.Line) bool {
			return i >= 0 && slices.ContainsFunc(d.draftsBefore[i].Lines, func(was invoice.Line) bool { return was.ID == l.ID })
		})
		added = append(added, inv)
	}
	return added
}

// byGrace orders drafts by when they are issued.
func byGrace(a, b invoice.Invoice) int {
	return cmp.Or(a.FinalizesAt.Compare(b.FinalizesAt), cmp.Compare(a.ID, b.ID))
}

// notDraft refuses what only an issued invoice can take: invoice_is_draft.
func (s State) notDraft(invoiceID string) error {
	if s.indexDraft(invoiceID) >= 0 {
		return invoicing.ErrDraft
	}
	return nil
}

// FinalizeInvoice issues the draft of a subscription's invoice before its grace is over; one that waits for usage once
// that is rated, which begins now. Fault: invoice_not_draft.
type FinalizeInvoice struct {
	InvoiceID string
	// WithoutUsage issues it at once; the usage that it waits for stays owed, and the next invoice bills it.
	WithoutUsage bool
}

// Name implements Command. To the workflow it is what a payment is: an attempt to follow.
func (FinalizeInvoice) Name() string { return "pay" }

// hasten lets the usage of draft i be rated now; one that is due is being rated, unless it was in vain.
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

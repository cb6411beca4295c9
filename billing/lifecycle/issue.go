package lifecycle

import (
	"slices"
	"strconv"
	"time"

	"perennial/billing/balance"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// issue writes an invoice, withdraws the one that it replaces and moves the customer's credit. What is left to pay
// waits for its turn; an invoice with nothing left is paid on the spot. One with a grace is a draft before.
func (d *Decision) issue(draft invoice.Draft) error {
	until, waits := d.grace(draft)
	if i := d.indexDraft(draft.Replaces); waits && i >= 0 {
		return d.redraw(i, draft)
	}
	newID := d.invoiceID(draft)
	draft = draft.Identify(func(position int) string { return d.lineID(draft, newID, position) })
	if draft.Replaces != "" {
		if err := d.withdraw(draft.Replaces, newID); err != nil {
			return err
		}
	}
	if waits {
		return d.draw(draft, d.issuing(newID), until)
	}
	if draft.Refund > 0 { // only a command that refunds has loaded the captures
		refundable, err := d.refundable()
		if err != nil {
			return err
		}
		draft.Refund = min(draft.Refund, refundable)
	}
	in := d.issuing(newID)
	in.Refunds = d.refunds()
	out, err := draft.Issue(in)
	if err != nil {
		return err
	}
	d.Changes.Invoices.add(InvoiceCreated, out.Invoice)
	d.Announce(event.InvoiceCreated{Invoice: out.Invoice.Announced()})
	return d.issued(out, draft)
}

// issuing returns the facts that an invoice of the subscription needs beside its lines.
func (d *Decision) issuing(invoiceID string) invoice.Issuing {
	s := d.Subscription
	return invoice.Issuing{
		ID: invoiceID, CustomerID: s.CustomerID, SubscriptionID: s.ID, Currency: s.Currency,
		TaxExempt: d.payer().Exemption, Balance: d.Balance, Grants: balance.For(d.Grants, s.PlanID), At: d.due,
		Limits: d.limits(), Terms: s.Terms, Location: s.Location(), Now: d.Now,
	}
}

// issued makes true what follows an invoice that is issued now.
func (d *Decision) issued(out invoice.Issued, draft invoice.Draft) error {
	inv := out.Invoice
	d.Credit(out.Credit, inv.ID)
	d.Announce(event.InvoiceFinalized{Invoice: inv.Announced()})
	d.announceDepleted(inv)
	if err := d.refundCurrentPeriod(out.Refund); err != nil {
		return err
	}
	if inv.Status != invoice.Paid {
		d.Open = d.ranked(append(d.Open, inv))
		if draft.Attempt {
			d.last = inv.ID
		}
		return nil
	}
	d.Changes.Settlements = append(d.Changes.Settlements, Settlement{InvoiceID: inv.ID})
	return d.paid(inv)
}

// invoiceID derives the id of an invoice that the schedule makes from its period, or from the scheduled change: a
// restored database that opens the period again makes the same one. A command's invoice has a random id.
func (d *Decision) invoiceID(draft invoice.Draft) string {
	start := draft.Period.Start
	sorts := d.sortsBy(start)
	if draft.Last {
		return d.IDs.Invoice(sorts, d.Subscription.ID, "last")
	}
	if draft.Change != "" {
		return d.IDs.Invoice(sorts, d.Subscription.ID, "change", draft.Change)
	}
	if draft.Reason == invoice.Update {
		return d.IDs.Invoice(d.Real)
	}
	return d.IDs.Invoice(sorts, d.Subscription.ID, strconv.FormatInt(start.Unix(), 10), string(draft.Reason), draft.After)
}

// sortsBy returns the time by which an id for a period sorts: where the period starts, but not before the subscription
// was created, so that lists which go by id show what is billed of a time before where it was made.
func (s State) sortsBy(start time.Time) time.Time {
	if created := s.Subscription.CreatedAt; start.Before(created) {
		return created
	}
	return start
}

// lineID derives the id of a line from its invoice and its place there.
func (d *Decision) lineID(draft invoice.Draft, invoiceID string, position int) string {
	at := d.sortsBy(draft.Period.Start)
	if draft.Reason == invoice.Update && !draft.Last && draft.Change == "" {
		at = d.Real
	}
	at = at.Add(time.Duration(position) * time.Millisecond) // lines of one invoice sort by their place
	return d.IDs.Line(at, invoiceID, strconv.Itoa(position))
}

// withdraw voids an open invoice in favour of another. A draft that an invoice takes in has no number and leaves none.
func (d *Decision) withdraw(invoiceID, by string) error {
	if i := d.indexDraft(invoiceID); i >= 0 {
		d.discard(i)
		return nil
	}
	i := d.IndexOpen(invoiceID)
	if i < 0 {
		return fault.New(fault.Internal, "invoice_missing",
			"Invoice %s cannot be withdrawn because it is not open.", invoiceID)
	}
	inv, returned, effect, err := d.Open[i].Withdraw(by, d.Subscription.Status == subscription.Canceled, d.Now)
	if err != nil {
		return err
	}
	d.voided(i, inv, returned, effect)
	return nil
}

// voided takes open invoice i out of the books as inv, which is void, and with it what it did to the balance.
func (d *Decision) voided(i int, inv invoice.Invoice, returned []invoice.CreditEntry, effect collection.Effect) {
	if effect == collection.CancelAttempt {
		d.cancelAttempt(inv.ID)
	}
	d.Credit(returned, inv.ID)
	d.closed(i, inv, event.InvoiceVoided{Invoice: inv.Announced()})
}

// closed takes open invoice i out of the open ones, as inv.
func (d *Decision) closed(i int, inv invoice.Invoice, announced event.Data) {
	d.Changes.Invoices.save(inv)
	d.close(i)
	d.Announce(announced)
}

// Settle lets a success count for an invoice, which is open invoice i; -1: it was given up before.
func (d *Decision) Settle(i int, inv invoice.Invoice, transactionID string) error {
	inv = inv.Settle(d.Now)
	d.Changes.Invoices.save(inv)
	d.Changes.Settlements = append(d.Changes.Settlements, Settlement{inv.ID, transactionID, inv.AmountDue})
	d.cancelAttempt(inv.ID) // another success leaves the live one superfluous
	if i >= 0 {
		d.close(i)
	}
	return d.paid(inv)
}

// TakeWrittenOff returns an invoice that is paid: an uncollectible one with its lines where they are known, another as
// it is.
func (d *Decision) TakeWrittenOff(inv invoice.Invoice) invoice.Invoice {
	i := slices.IndexFunc(d.WrittenOff, func(other invoice.Invoice) bool { return other.ID == inv.ID })
	if i < 0 {
		return inv
	}
	inv = d.WrittenOff[i]
	d.WrittenOff = slices.Delete(d.WrittenOff, i, i+1)
	return inv
}

// paid follows what the payment of an invoice means for the subscription.
func (d *Decision) paid(inv invoice.Invoice) error {
	d.Announce(event.InvoicePaid{Invoice: inv.Announced()})
	if d.owner().spans(d.State, inv) {
		d.Paid = d.ranked(insert(d.Paid, inv))
	}
	return d.decide(d.settled(inv))
}

// settled asks what the payment of an invoice means for its owner.
func (d *Decision) settled(inv invoice.Invoice) (subscribing.Decision, error) {
	return d.owner().settled(d, inv)
}

// insert puts an invoice where its number belongs; one of this decision has none yet and is the last.
func insert(list []invoice.Invoice, inv invoice.Invoice) []invoice.Invoice {
	i := slices.IndexFunc(list, func(other invoice.Invoice) bool { return inv.Number > 0 && other.Number > inv.Number })
	if i < 0 {
		i = len(list)
	}
	return slices.Insert(list, i, inv)
}

// close takes an invoice out of the open ones.
func (d *Decision) close(i int) {
	if d.Subscription.CollectingInvoiceID == d.Open[i].ID {
		d.Subscription.CollectingInvoiceID = ""
	}
	d.Open = append(d.Open[:i:i], d.Open[i+1:]...)
}

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

// issue writes an invoice, withdraws the one that it replaces and moves the customer's credit. The rest waits to be
// collected; an invoice without a rest is paid at once. With a grace it is a draft first.
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
	if draft.Refund > 0 { // only a refunding command has loaded the captures
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

// issuing returns the facts of the subscription that an invoice needs besides its lines.
func (d *Decision) issuing(invoiceID string) invoice.Issuing {
	s := d.Subscription
	return invoice.Issuing{
		ID: invoiceID, CustomerID: s.CustomerID, SubscriptionID: s.ID, Currency: s.Currency,
		TaxExempt: d.payer().Exemption.OfInvoice(), Balance: d.Balance,
		Grants: balance.For(d.Grants, s.PlanID), At: d.due,
		Limits: d.limits(), Terms: s.Terms, Location: s.Location(), Now: d.Now,
	}
}

// issued applies the effects of an invoice that is issued now.
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

// invoiceID derives the id of an automatic invoice from its period or its scheduled change: a restored database that
// opens the period again creates the same id. A command's invoice has a random id.
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

// sortsBy returns the sort time of an id for a period: the period's start, but at least the creation of the
// subscription, so that lists in id order show backdated invoices at their creation.
func (s State) sortsBy(start time.Time) time.Time {
	if created := s.Subscription.CreatedAt; start.Before(created) {
		return created
	}
	return start
}

// lineID derives the id of a line from its invoice and its position there.
func (d *Decision) lineID(draft invoice.Draft, invoiceID string, position int) string {
	at := d.sortsBy(draft.Period.Start)
	if draft.Reason == invoice.Update && !draft.Last && draft.Change == "" {
		at = d.Real
	}
	at = at.Add(time.Duration(position) * time.Millisecond) // lines of one invoice sort by position
	return d.IDs.Line(at, invoiceID, strconv.Itoa(position))
}

// withdraw voids an open invoice in favour of another. A draft has no number, so it is removed.
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

// voided replaces open invoice i by inv, which is void, and reverses its effects on the balance.
func (d *Decision) voided(i int, inv invoice.Invoice, returned []invoice.CreditEntry, effect collection.Effect) {
	if effect == collection.CancelAttempt {
		d.cancelAttempt(inv.ID)
	}
	d.Credit(returned, inv.ID)
	d.closed(i, inv, event.InvoiceVoided{Invoice: inv.Announced()})
}

// closed removes open invoice i from the open ones and saves it as inv.
func (d *Decision) closed(i int, inv invoice.Invoice, announced event.Data) {
	d.Changes.Invoices.save(inv)
	d.close(i)
	d.Announce(announced)
}

// Settle settles an invoice by a success; it is open invoice i; -1: it was given up before.
func (d *Decision) Settle(i int, inv invoice.Invoice, transactionID string) error {
	inv = inv.Settle(d.Now)
	d.Changes.Invoices.save(inv)
	d.Changes.Settlements = append(d.Changes.Settlements, Settlement{inv.ID, transactionID, inv.AmountDue})
	d.cancelAttempt(inv.ID) // another success makes the live attempt superfluous
	if i >= 0 {
		d.close(i)
	}
	return d.paid(inv)
}

// TakeWrittenOff removes a paid invoice from the written-off ones, and returns it with its lines. It returns any other
// invoice unchanged.
func (d *Decision) TakeWrittenOff(inv invoice.Invoice) invoice.Invoice {
	i := slices.IndexFunc(d.WrittenOff, func(other invoice.Invoice) bool { return other.ID == inv.ID })
	if i < 0 {
		return inv
	}
	inv = d.WrittenOff[i]
	d.WrittenOff = slices.Delete(d.WrittenOff, i, i+1)
	return inv
}

// paid applies the payment of an invoice to its owner.
func (d *Decision) paid(inv invoice.Invoice) error {
	d.Announce(event.InvoicePaid{Invoice: inv.Announced()})
	if d.owner().spans(d.State, inv) {
		d.Paid = d.ranked(insert(d.Paid, inv))
	}
	return d.decide(d.settled(inv))
}

// settled returns the owner's decision about the payment of an invoice.
func (d *Decision) settled(inv invoice.Invoice) (subscribing.Decision, error) {
	return d.owner().settled(d, inv)
}

// insert inserts an invoice by its number; one of this decision has no number yet and is the last.
func insert(list []invoice.Invoice, inv invoice.Invoice) []invoice.Invoice {
	i := slices.IndexFunc(list, func(other invoice.Invoice) bool { return inv.Number > 0 && other.Number > inv.Number })
	if i < 0 {
		i = len(list)
	}
	return slices.Insert(list, i, inv)
}

// close removes an invoice from the open ones.
func (d *Decision) close(i int) {
	if d.Subscription.CollectingInvoiceID == d.Open[i].ID {
		d.Subscription.CollectingInvoiceID = ""
	}
	d.Open = append(d.Open[:i:i], d.Open[i+1:]...)
}

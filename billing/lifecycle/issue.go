package lifecycle

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"perennial/billing/balance"
	"perennial/billing/collection"
	"perennial/billing/creditnote"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/giveback"
	"perennial/billing/invoice"
	"perennial/billing/money"
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
	if draft.Awaited {
		await(d, newID)
	}
	if !waits {
		split, gives, err := giveback.Of(draft, issuedLines(d))
		if err != nil {
			return err
		}
		if gives {
			return takeBack(d, draft, split, newID)
		}
	}
	draft = draft.Identify(func(position int) string { return d.lineID(draft, newID, position) })
	since := owedSince(d, draft.Replaces)
	if draft.Replaces != "" {
		if err := d.withdraw(draft.Replaces, newID); err != nil {
			return err
		}
	}
	in := d.issuing(newID)
	in.OwedSince = since
	if waits {
		return d.draw(draft, in, until)
	}
	var err error
	if draft.Refund, err = affordable(d, draft.Refund); err != nil {
		return err
	}
	in.Refunds = d.refunds()
	out, err := draft.Issue(in)
	if err != nil {
		return err
	}
	d.Changes.Invoices.add(InvoiceCreated, out.Invoice)
	d.Announce(event.InvoiceCreated{Invoice: out.Invoice.Announced()})
	return d.issued(out, draft)
}

// takeBack issues a draft that gives back at least what it bills: credit notes for the invoices whose lines it takes
// back, and an invoice for the rest, if any, which they pay. Ids are derived from the draft's.
func takeBack(d *Decision, draft invoice.Draft, split giveback.Split, id string) error {
	backID, by := d.IDs.TakenBack(d.sortsBy(draft.Period.Start), id), id
	if len(split.Bill.Lines) == 0 {
		by = backID
	}
	if draft.Replaces != "" {
		if err := d.withdraw(draft.Replaces, by); err != nil {
			return err
		}
	}
	var err error
	if split.Bill.Refund, err = affordable(d, draft.Refund); err != nil {
		return err
	}
	split.Bill = split.Bill.Identify(func(position int) string { return d.lineID(draft, id, position) })
	split.Back = split.Back.Identify(func(position int) string { return d.lineID(draft, backID, position) })
	identifyNotes(d, split.Notes, backID, d.idTime(draft))
	return documents(d, split, d.issuing(id), backID, func(inv invoice.Invoice) invoice.Invoice {
		d.Changes.Invoices.add(InvoiceCreated, inv)
		d.Announce(event.InvoiceCreated{Invoice: inv.Announced()})
		return inv
	})
}

// documents writes the documents of a draft that gives back at least what it bills. write writes the invoice, and
// returns it.
func documents(
	d *Decision, split giveback.Split, in invoice.Issuing, backID string,
	write func(invoice.Invoice) invoice.Invoice,
) error {
	in.Refunds = d.refunds()
	made, err := split.Bill.Cover(in, split.Given)
	if err != nil {
		return err
	}
	in.ID = backID
	back := split.Back.TakeBack(in, split.Sums, made.Invoice.ID)
	d.Changes.Invoices.add(LinesTakenBack, back)
	d.Paid = insert(d.Paid, back)
	inv := made.Invoice
	if inv.ID != "" {
		inv = write(inv)
		d.Announce(event.InvoiceFinalized{Invoice: inv.Announced()})
	}
	if err := writeNotes(d, split.Notes, back, made); err != nil {
		return err
	}
	if inv.ID == "" {
		return d.decide(d.settled(back))
	}
	d.Credit(made.Paid, inv.ID)
	d.Changes.Settlements = append(d.Changes.Settlements, Settlement{InvoiceID: inv.ID})
	return d.paid(inv)
}

// identifyNotes gives notes ids that are derived, as that of the lines that they take back: a restored database that
// writes them again announces the same notes.
func identifyNotes(d *Decision, notes []creditnote.Note, backID string, at time.Time) {
	for i := range notes {
		notes[i].ID = d.IDs.CreditNote(at, backID, notes[i].InvoiceID)
	}
}

// writeNotes writes the credit notes of lines that were taken back, with their refunds.
func writeNotes(d *Decision, notes []creditnote.Note, back invoice.Invoice, made invoice.Covered) error {
	from := len(d.Changes.NewTransactions)
	if err := d.refundCurrentPeriod(made.Refund); err != nil {
		return err
	}
	var refunds []giveback.Refund
	of := made.Invoice.ID // the row of lines that were taken back is found under no id
	if of == "" && len(notes) > 0 {
		of = notes[0].InvoiceID
	}
	for _, t := range d.Changes.NewTransactions[from:] {
		of = cmp.Or(of, t.InvoiceID)
		refunds = append(refunds, giveback.Refund{ID: t.ID, Amount: t.Amount})
	}
	for _, n := range giveback.To(notes, refunds, made.OfNotes) {
		n.CustomerID, n.SubscriptionID, n.Currency = back.CustomerID, back.SubscriptionID, back.Currency
		n.TakenBackBy, n.CreatedAt = back.ID, d.Now
		d.Changes.CreditNotes = append(d.Changes.CreditNotes, n)
		if n.Balance > 0 {
			d.Credit([]invoice.CreditEntry{{Amount: n.Balance, Reason: invoice.CreditNoted}}, n.InvoiceID)
		}
		d.Announce(event.CreditNoteCreated{CreditNote: n.Announced()})
	}
	d.Credit(made.FromBalance, of)
	return nil
}

// affordable returns the part of a refund that the current period's payments can give back. Only a refunding command
// has loaded the captures.
func affordable(d *Decision, refund money.Minor) (money.Minor, error) {
	if refund <= 0 {
		return refund, nil
	}
	refundable, err := d.refundable()
	return min(refund, refundable), err
}

func issuedLines(d *Decision) giveback.Issued {
	return giveback.Issued{Home: func(lineID string) string { return homeOf(d.State, lineID) }, Usage: d.corrects}
}

// homeOf returns the invoice that bills a line, unless it is void; empty: none is known.
func homeOf(s State, lineID string) string {
	for _, list := range [][]invoice.Invoice{s.Paid, s.Open, s.WrittenOff} {
		for _, inv := range list {
			has := func(l invoice.Line) bool { return l.ID == lineID }
			if inv.Status != invoice.TakenBack && inv.Status != invoice.Void && slices.ContainsFunc(inv.Lines, has) {
				return inv.ID
			}
		}
	}
	return s.Homes[lineID]
}

// FindHomes sets Homes, as far as the State has the invoices, and returns the other lines that waiting lines, drafts
// and open invoices take back: a change may issue their lines again. Those of the same draft, or that wait too, are
// among them.
func FindHomes(s *State) (missing []string) {
	var all map[string]string
	for _, id := range linesToTakeBack(*s) {
		home := homeOf(*s, id)
		if home == "" {
			missing = append(missing, id)
			continue
		}
		if all == nil {
			all = map[string]string{}
		}
		all[id] = home
	}
	s.Homes = all
	return missing
}

// linesToTakeBack returns the lines that waiting lines, drafts and open invoices take back, but those of their own.
func linesToTakeBack(s State) (ids []string) {
	add := func(lines []invoice.Line) {
		for _, l := range lines {
			own := func(other invoice.Line) bool { return other.ID == l.Reverses }
			if l.Reverses != "" && !slices.ContainsFunc(lines, own) {
				ids = append(ids, l.Reverses)
			}
		}
	}
	add(s.Subscription.PendingLines)
	for _, list := range [][]invoice.Invoice{s.Drafts, s.Open} {
		for _, inv := range list {
			add(inv.Lines)
		}
	}
	return ids
}

// withoutVoid returns homes without invoices that a decision has voided; nil: none.
func withoutVoid(homes map[string]string, changed InvoiceChanges) map[string]string {
	maps.DeleteFunc(homes, func(_, home string) bool {
		inv := changed.Latest(home)
		return inv != nil && inv.Status == invoice.Void
	})
	if len(homes) == 0 {
		return nil
	}
	return homes
}

// issuing returns the facts of the subscription that an invoice needs besides its lines.
func (d *Decision) issuing(invoiceID string) invoice.Issuing {
	s := d.Subscription
	if s.Pays(invoiceID) && s.PendingChange.Plan.ID != "" { // it bills the plan that it leads to
		s.PlanID = s.PendingChange.Plan.ID
	}
	return invoice.Issuing{
		ID: invoiceID, CustomerID: s.CustomerID, SubscriptionID: s.ID, Currency: s.Currency,
		TaxExempt: d.payer().Exemption.OfInvoice(), Balance: d.Balance,
		Grants: balance.For(d.Grants, s.PlanID), At: d.due,
		Limits: d.limits(), Terms: s.Terms, Location: s.Location(), Now: d.Now,
	}
}

// issuingDraft is issuing for a draft, which keeps the age of the debt that it replaces.
func issuingDraft(d *Decision, drawn invoice.Invoice) invoice.Issuing {
	in := d.issuing(drawn.ID)
	in.OwedSince = drawn.OwedSince
	return in
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
	_, err := void(d, i, by, d.Subscription.Status == subscription.Canceled)
	return err
}

// void voids open invoice i in favour of another, as invoice.Invoice.Withdraw says, and returns it.
func void(d *Decision, i int, by string, ended bool) (invoice.Invoice, error) {
	inv, returned, effect, err := d.Open[i].Withdraw(by, ended, d.Now)
	if err == nil {
		d.voided(i, inv, returned, effect)
	}
	return inv, err
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

// insert inserts an invoice by its number; one of this decision has no number yet and is the last. Lines that were
// taken back follow the invoices.
func insert(list []invoice.Invoice, inv invoice.Invoice) []invoice.Invoice {
	back := inv.Status == invoice.TakenBack
	i := slices.IndexFunc(list, func(other invoice.Invoice) bool {
		return !back && (inv.Number > 0 && other.Number > inv.Number || other.Status == invoice.TakenBack)
	})
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

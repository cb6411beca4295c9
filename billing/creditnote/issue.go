package creditnote

import (
	"slices"
	"time"

	"perennial/billing/balance"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/totals"
)

// Request asks for a credit note. Lines or an Amount, with taxes, say how much; neither: the whole rest.
type Request struct {
	ID     string
	Lines  []Line
	Amount money.Minor
	Reason Reason
	Memo   string
	// InMoney gives a paid invoice back in money: RefundAmount of it, or all where that is 0. The rest goes to the
	// balance.
	InMoney      bool
	RefundAmount money.Minor
	// Granularity: money goes back in multiples of it, as the provider expresses amounts; 0: any amount. Where
	// RefundAmount is 0, the rest goes to the balance.
	Granularity money.Minor
	// Refunded is the amount of a refund that the note is for: it gives back as much of it as is left of a paid invoice,
	// all in money. 0: the note is for no refund. It excludes Lines, Amount and RefundAmount.
	Refunded money.Minor
	Now      time.Time // in the customer's own time
}

// Given has the amounts that were given back of an invoice already.
type Given struct {
	Notes []Note // of the invoice
	// Reversed has the credits for unused time, on later invoices and on the invoice itself, after discounts and before
	// taxes, by line.
	Reversed map[string]money.Minor
	// Corrected has the amounts that corrections of usage on later invoices gave back of usage lines, after discounts and
	// before taxes, by line: see the function.
	Corrected map[string]money.Minor
	// Money is the part of the captured money that went back, or is reserved or owed to, for any reason.
	Money money.Minor
	// ToGrants has the amounts that notes gave back to the grants that had paid.
	ToGrants balance.Uses
}

// ErrNotCreditable refuses a note for an invoice that is neither open nor paid.
var ErrNotCreditable = fault.New(fault.Conflict, "invoice_not_creditable",
	"Only open and paid invoices can be credited. This one is void, uncollectible or a draft.")

// ErrNothingLeft refuses a note for an invoice that was given back whole.
var ErrNothingLeft = fault.New(fault.Conflict, "invoice_nothing_to_credit",
	"Nothing is left of the invoice to give back: it was credited, refunded or its time was taken back, or it billed nothing.")

// ErrNotPaid refuses to give money back that was never paid.
var ErrNotPaid = fault.InvalidParam("to", "credit_of_open_invoice",
	"The invoice is open: a credit note reduces what is due. Omit `to` and `refundAmount`.")

// ErrAmbiguous refuses a request with two measures of the amount.
var ErrAmbiguous = fault.InvalidParam("amount", "credit_note_ambiguous",
	"The request has `lines` and `amount`. Send one of them, or neither to give back all that is left.")

// ErrNoRefund refuses an amount in money where nothing is to go back in money.
var ErrNoRefund = fault.InvalidParam("refundAmount", "refund_amount_without_refund",
	"`refundAmount` requires `to: refund`. What exceeds it goes to the balance.")

// ErrNotRefundable refuses to give money back that no provider took for the invoice.
var ErrNotRefundable = fault.InvalidParam("to", "credit_not_refundable",
	"No payment that Perennial can refund paid this invoice: credit or money from outside did. Send `to: balance`.")

// Issue decides a credit note, whose Due, Balance and Refund Invoice.Credit and the payment allow. Nothing is given
// back twice: of a line no more than it billed, less earlier notes, and unused time and usage that later invoices took
// back; in all no more than the total, less earlier notes, usage that was taken back, and money that went back without
// a note. Faults: invoice_not_creditable, invoice_nothing_to_credit, credit_exceeds_line, credit_exceeds_invoice,
// credit_line_unknown, credit_of_open_invoice, refund_exceeds_credit_note, amount_too_large.
func Issue(inv invoice.Invoice, ask Request, given Given) (Note, error) {
	switch {
	case inv.Status != invoice.Open && inv.Status != invoice.Paid:
		return Note{}, ErrNotCreditable
	case inv.Status == invoice.Open && (ask.InMoney || ask.Refunded > 0):
		return Note{}, ErrNotPaid
	}
	bill := inv.Billed()
	left, before, err := given.left(inv, bill)
	switch {
	case err != nil:
		return Note{}, err
	case left <= 0:
		return Note{}, ErrNothingLeft
	}
	if ask.Refunded > 0 {
		ask.Amount = min(ask.Refunded, left)
		ask.InMoney, ask.RefundAmount = true, ask.Amount
	}
	items, worth, err := ask.value(inv, bill, before, left)
	if err != nil {
		return Note{}, err
	}
	if worth.Total > left {
		return Note{}, totals.ExceedsInvoice(left)
	}
	note := Note{
		ID: ask.ID, InvoiceID: inv.ID, CustomerID: inv.CustomerID, SubscriptionID: inv.SubscriptionID, Currency: inv.Currency,
		Seller: inv.Seller, Buyer: inv.Buyer, TaxExempt: inv.TaxExempt,
		Reason: ask.Reason, Memo: ask.Memo, Subtotal: worth.Net, Tax: worth.Tax, Total: worth.Total, CreatedAt: ask.Now,
	}
	for _, item := range items {
		note.Lines = append(note.Lines, Line{inv.Lines[item.Line].ID, item.Amount})
	}
	for i, t := range worth.Taxes {
		if t != (totals.TaxSum{}) {
			note.Taxes = append(note.Taxes, invoice.Tax{Rate: bill.Rates[i], Base: t.Base, Amount: t.Amount})
		}
	}
	return note.destined(inv, ask)
}

// value returns the requested items of the invoice and their value.
func (ask Request) value(
	inv invoice.Invoice, bill totals.Draft, before totals.Credited, left money.Minor,
) ([]totals.Item, totals.Note, error) {
	if len(ask.Lines) == 0 {
		amount := ask.Amount
		if amount == 0 {
			amount = left
		}
		if amount > left {
			return nil, totals.Note{}, totals.ExceedsInvoice(left)
		}
		return totals.CreditPart(bill, amount, before)
	}
	items := make([]totals.Item, len(ask.Lines))
	for n, line := range ask.Lines {
		i := slices.IndexFunc(inv.Lines, func(l invoice.Line) bool { return l.ID == line.InvoiceLineID })
		if i < 0 {
			return nil, totals.Note{}, fault.InvalidParam("lines", "credit_line_unknown",
				"Line %d of the credit note names no line of the invoice. Send the `id` of one.", n)
		}
		items[n] = totals.Item{Line: i, Amount: line.Amount}
	}
	worth, err := totals.CreditNote(bill, items, before)
	if err != nil {
		return nil, totals.Note{}, inLines(err)
	}
	if worth.Discount > 0 {
		// The billed lines have no discounts here: credits on the invoice itself have given a part of them back.
		return nil, totals.Note{}, totals.ExceedsInvoice(left)
	}
	return items, worth, nil
}

func inLines(err error) error {
	if f := fault.From(err); f.Kind == fault.Invalid {
		return f.In("lines")
	}
	return err
}

// destined sets where the total goes.
func (n Note) destined(inv invoice.Invoice, ask Request) (Note, error) {
	switch {
	case inv.Status == invoice.Open:
		n.Due = min(n.Total, inv.OwnDue())
	case ask.InMoney:
		if n.Refund = ask.RefundAmount; n.Refund == 0 {
			n.Refund = money.Limits{Granularity: ask.Granularity}.Floor(n.Total)
		}
	}
	if n.Refund > n.Total {
		return Note{}, fault.InvalidParam("refundAmount", "refund_exceeds_credit_note",
			"`refundAmount` is more than the credit note, which is over %d minor units. Send at most that.", n.Total)
	}
	n.Balance = n.Total - n.Due - n.Refund
	return n, nil
}

// left returns the amount of an invoice that can still be given back, with taxes, and what was given back before. A
// credit for unused time may have gone back in money, a correction of usage never does: it counts beside the money.
func (g Given) left(inv invoice.Invoice, bill totals.Draft) (money.Minor, totals.Credited, error) {
	before := g.before(inv, bill)
	uncorrected, err := totals.Left(bill, before)
	if err != nil {
		return 0, before, err
	}
	g.addCorrected(inv, bill, &before)
	left, err := totals.Left(bill, before)
	return min(left, inv.Total-g.total()-g.unnoted()-(uncorrected-left)), before, err
}

// Beside returns the amount of an invoice that went back without a credit note: money, or credits for unused time and
// for usage.
func (g Given) Beside(inv invoice.Invoice) (money.Minor, error) {
	left, _, err := g.left(inv, inv.Billed())
	return max(inv.Total-g.total()-max(left, 0), 0), err
}

// TakenBack reports whether later documents that no person asked for gave a part of an invoice back: credits for unused
// time, and corrections of usage.
func (g Given) TakenBack(inv invoice.Invoice) bool {
	own := reversedBy(inv)
	return slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool {
		return g.Reversed[l.ID] > own[l.ID] || g.Corrected[l.ID] > 0
	})
}

// total returns the total of the notes.
func (g Given) total() (sum money.Minor) {
	for _, n := range g.Notes {
		sum += n.Total
	}
	return sum
}

// unnoted is the money that went back without a credit note.
func (g Given) unnoted() money.Minor {
	sum := g.Money
	for _, n := range g.Notes {
		sum -= n.Refund
	}
	return max(sum, 0)
}

// before returns the amounts that the notes and credits for unused time gave back, in the form of totals.
func (g Given) before(inv invoice.Invoice, bill totals.Draft) totals.Credited {
	out := totals.Credited{Lines: make([]money.Minor, len(bill.Lines)), Taxes: make([]totals.TaxSum, len(bill.Rates))}
	for _, n := range g.Notes {
		out.Net, out.Tax = out.Net+n.Subtotal, out.Tax+n.Tax
		for _, l := range n.Lines {
			if i := slices.IndexFunc(inv.Lines, func(of invoice.Line) bool { return of.ID == l.InvoiceLineID }); i >= 0 {
				out.Lines[i] += l.Amount
			}
		}
		for i, rate := range bill.Rates {
			for _, t := range n.Taxes {
				if t.ID == rate.ID {
					out.Taxes[i].Base, out.Taxes[i].Amount = out.Taxes[i].Base+t.Base, out.Taxes[i].Amount+t.Amount
				}
			}
		}
	}
	own := reversedBy(inv)
	for i, l := range inv.Lines {
		if later := min(g.Reversed[l.ID]-own[l.ID], l.Net()-out.Lines[i]); later > 0 {
			out = givenLater(out, bill, i, later)
		}
		out.Lines[i] += max(min(own[l.ID], l.Net()-out.Lines[i]), 0)
	}
	return out
}

// addCorrected adds the amounts that corrections of usage gave back.
func (g Given) addCorrected(inv invoice.Invoice, bill totals.Draft, to *totals.Credited) {
	for i, l := range inv.Lines {
		if later := min(g.Corrected[l.ID], l.Net()-to.Lines[i]); later > 0 {
			*to = givenLater(*to, bill, i, later)
		}
	}
}

// givenLater adds what another invoice gave back of a line.
func givenLater(to totals.Credited, bill totals.Draft, line int, amount money.Minor) totals.Credited {
	to = to.With(bill, totals.Item{Line: line, Amount: amount})
	if len(bill.Lines[line].Rates) > 0 {
		to.Tax++ // the other invoice may have rounded its taxes the other way
	}
	return to
}

// reversedBy returns the credits of an invoice on its own lines. They reduced the invoice's total: they were given back
// of the lines, but not of the total.
func reversedBy(inv invoice.Invoice) map[string]money.Minor {
	own := map[string]money.Minor{}
	for _, l := range inv.Lines {
		if l.Reverses != "" { // also credits on another invoice's lines, which are not looked up
			own[l.Reverses] -= l.Net()
		}
	}
	return own
}

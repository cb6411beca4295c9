package lifecycle_test

import (
	"errors"
	"slices"

	"github.com/stretchr/testify/require"

	"perennial/billing/creditnote"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// creditSome credits an invoice, all of it or a part. With any earlier credits, the notes never exceed it.
func (l *life) creditSome(draw chance) {
	if len(l.store.invoices) == 0 {
		return
	}
	inv := l.store.invoices[draw(len(l.store.invoices), "which invoice")]
	ask := creditnote.Request{ID: "cn", Reason: creditnote.Goodwill, InMoney: draw(3, "in money") == 0}
	switch draw(3, "how much") {
	case 0:
		ask.Amount = money.Minor(1 + draw(2000, "amount"))
	case 1:
		line := inv.Lines[draw(len(inv.Lines), "which line")]
		ask.Lines = []creditnote.Line{{InvoiceLineID: line.ID, Amount: money.Minor(1 + draw(2000, "of the line"))}}
	}
	l.creditInvoice(inv, ask)
}

// creditInvoice performs the command with the data that db loads.
func (l *life) creditInvoice(inv invoice.Invoice, ask creditnote.Request) (creditnote.Note, error) {
	cmd := l.creditOf(inv)
	cmd.Request = ask
	was, behind := l.noted, l.behind()
	l.noted = true
	untouched := l.untouchedBy(inv, cmd.Given, cmd.Charge)
	changes, err := l.apply(cmd)
	if err != nil {
		l.noted = was
		require.True(l.t, behind || fault.From(err).Refusal(), err)
		return creditnote.Note{}, err
	}
	note, after := changes.CreditNotes[0], l.store.invoice(inv.ID)
	require.Equal(l.t, note.Total, note.Subtotal+note.Tax)
	require.Equal(l.t, note.Total, note.Due+note.Balance+note.Refund)
	if len(ask.Lines) == 0 && ask.Amount == 0 && untouched && !behind {
		require.Equal(l.t, inv.Total, note.Total, "nothing was given back of it before, so that all is given back now")
	}
	var all, taxes money.Minor
	for _, n := range l.given(inv).Notes {
		all += n.Total
		for _, t := range n.Taxes {
			if !t.Inclusive {
				taxes += t.Amount
			}
		}
	}
	require.Equal(l.t, [2]money.Minor{after.Credited.Total, after.Credited.Tax}, [2]money.Minor{all, taxes})
	require.LessOrEqual(l.t, all, inv.Total, "notes never exceed the invoice")
	reversed := l.given(inv).Reversed
	for _, line := range after.Lines {
		back := reversed[line.ID] + cmd.Given.Corrected[line.ID]
		require.LessOrEqual(l.t, line.Credited+back, max(line.Net(), 0), "nor what is left of a line")
	}
	require.True(l.t, after.Status != invoice.Open || after.AmountDue > 0, "with nothing left to pay it is paid")
	return note, nil
}

// creditOf returns the facts of a note of an invoice that db loads.
func (l *life) creditOf(inv invoice.Invoice) lifecycle.CreditInvoice {
	cmd := lifecycle.CreditInvoice{Invoice: inv, Given: l.given(inv)}
	if id := l.store.settled[inv.ID].TransactionID; id != "" {
		charge := *l.store.transaction(id)
		cmd.Charge = &charge
	}
	for _, g := range l.store.grants {
		if g.VoidedAt.IsZero() && uses(inv, g) {
			cmd.Grants = append(cmd.Grants, g)
		}
	}
	return cmd
}

// refundSome refunds a part of a charge that settled an invoice, at most what is left of the invoice. The note is over
// all of it, so that the books need no other document.
func (l *life) refundSome(draw chance) {
	id := l.some(draw, func(t payment.Transaction) bool {
		return t.InvoiceID != "" && t.Captured().Refundable() > 0 && l.store.settled[t.InvoiceID].TransactionID == t.ID
	})
	if id == "" {
		return
	}
	charge := *l.store.transaction(id)
	cmd := lifecycle.RefundInvoice{Note: l.creditOf(*l.store.invoice(charge.InvoiceID)), Charge: charge}
	rest, err := creditnote.Issue(cmd.Note.Invoice, creditnote.Request{}, cmd.Note.Given)
	if err != nil || len(l.sub().PendingLines) > 0 || l.behind() { // less may be left by then
		return
	}
	most := int(min(rest.Total, charge.Captured().Refundable()))
	cmd.Amount = money.Minor(1 + draw(most, "refunded"))
	changes, err := l.apply(cmd)
	if err != nil {
		require.True(l.t, fault.From(err).Refusal(), err)
		return
	}
	l.noted = true
	refund, note := changes.Made(changes.Refund), changes.CreditNotes[0]
	require.Equal(l.t, cmd.Amount, refund.Amount)
	require.Equal(l.t, [3]any{cmd.Amount, cmd.Amount, refund.ID}, [3]any{note.Total, note.Refund, note.RefundID})
}

// untouchedBy reports whether an invoice has no returns except its own.
func (l *life) untouchedBy(inv invoice.Invoice, given creditnote.Given, charge *payment.Transaction) bool {
	for _, other := range l.store.all() {
		for _, line := range append(slices.Clone(other.Lines), l.sub().PendingLines...) {
			if other.ID != inv.ID && slices.ContainsFunc(
				inv.Lines, func(of invoice.Line) bool { return of.ID == line.Reverses },
			) {
				return false
			}
		}
	}
	whole := charge == nil || charge.External() || charge.Captured().Refundable() == charge.Amount
	return len(given.Notes)+len(given.Corrected) == 0 && whole &&
		!slices.ContainsFunc(l.sub().PendingLines, func(line invoice.Line) bool { return line.Reverses != "" })
}

// given returns the returned amounts of an invoice, as db reads them.
func (l *life) given(inv invoice.Invoice) creditnote.Given {
	out := creditnote.Given{Reversed: map[string]money.Minor{}, ToGrants: l.store.toGrants[inv.ID]}
	for _, n := range l.store.notes {
		if n.InvoiceID == inv.ID && n.TakenBackBy == "" {
			out.Notes = append(out.Notes, n)
		}
	}
	for _, other := range l.store.all() {
		for _, line := range other.Lines {
			if other.Status != invoice.Void && line.Reverses != "" {
				out.Reversed[line.Reverses] -= line.Net()
			}
		}
	}
	var usage []invoice.Invoice
	for _, other := range l.store.invoices {
		if other.Status != invoice.Void {
			other.Lines = slices.DeleteFunc(slices.Clone(other.Lines), func(line invoice.Line) bool {
				return line.Kind != invoice.Metered
			})
			usage = append(usage, other)
		}
	}
	out.Corrected = creditnote.Corrected(inv, usage)
	return out
}

// hasNotes reports whether a refusal is due to credit notes of an open invoice.
func (l *life) hasNotes(err error) bool {
	return errors.Is(err, invoice.ErrHasCreditNotes) && slices.ContainsFunc(l.open(), func(inv invoice.Invoice) bool {
		return inv.Credited.Total > 0
	})
}

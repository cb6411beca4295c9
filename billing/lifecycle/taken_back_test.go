package lifecycle_test

import (
	"slices"

	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/money"
)

// insertTakenBack checks that the notes are over the lines that were taken back, and over no more than was billed.
func (s *store) insertTakenBack(back invoice.Invoice, notes []creditnote.Note) {
	var sum, tax, refund money.Minor
	lines := map[string]money.Minor{}
	for _, n := range notes {
		if n.TakenBackBy != back.ID {
			continue
		}
		of := s.invoice(n.InvoiceID)
		if of == nil || of.Status == invoice.Void {
			s.fail("%+v is of %+v", n, of)
		}
		if n.Total <= 0 || n.Tax < 0 || n.Subtotal+n.Tax != n.Total || n.Balance+n.Refund != n.Total || n.Balance < 0 ||
			(n.RefundID == "") != (n.Refund == 0) {
			s.fail("a note does not add up: %+v", n)
		}
		sum, tax, refund = sum+n.Total, tax+n.Tax, refund+n.Refund
		for _, l := range n.Lines {
			i := slices.IndexFunc(of.Lines, func(had invoice.Line) bool { return had.ID == l.InvoiceLineID })
			if i < 0 || l.Amount <= 0 || l.Amount > of.Lines[i].Net()-of.Lines[i].Credited {
				s.fail("a note gives back more than is left of a line: %+v of %+v", l, of)
			}
			lines[takenFrom(l.InvoiceLineID, of.Lines[i])] += l.Amount
		}
	}
	for _, l := range back.Lines {
		lines[takenFrom(l.Reverses, l)] += l.Net()
	}
	for id, left := range lines {
		if left != 0 {
			s.fail("what is taken back of %s and its notes differ by %d", id, left)
		}
	}
	if back.Number != 0 || back.Total != -sum || back.Tax != -tax || back.AmountDue != 0 {
		s.fail("%+v has notes over %d", back, sum)
	}
	for _, other := range s.invoices {
		if back.Reason != invoice.Update && back.Reason != invoice.Usage && other.Status != invoice.Void &&
			back.Reason == other.Reason && back.Period.Start.Equal(other.Period.Start) {
			s.fail("%s and %s bill the period of %s for one reason", back.ID, other.ID, back.Period)
		}
	}
	s.takenBack = append(s.takenBack, back)
}

// takenFrom names the line that is taken back. A correction of usage names none, but is of its price and segment.
func takenFrom(lineID string, l invoice.Line) string {
	if l.Kind == invoice.Metered {
		return "usage of " + l.PriceID + " since " + l.Period.Start.UTC().String()
	}
	return lineID
}

// billed lists the invoices with the lines that were taken back.
func (s *store) billed() []invoice.Invoice { return slices.Concat(s.invoices, s.takenBack) }

// homes finds the invoices of the lines that waiting lines, drafts and open invoices take back.
func (s *store) homes() (all map[string]string) {
	add := func(lines []invoice.Line) {
		for _, l := range lines {
			own := slices.ContainsFunc(lines, func(of invoice.Line) bool { return of.ID == l.Reverses })
			for _, inv := range s.invoices {
				if l.Reverses != "" && !own && inv.Status != invoice.Void &&
					slices.ContainsFunc(inv.Lines, func(of invoice.Line) bool { return of.ID == l.Reverses }) {
					if all == nil {
						all = map[string]string{}
					}
					all[l.Reverses] = inv.ID
				}
			}
		}
	}
	add(s.sub.PendingLines)
	for _, list := range [][]invoice.Invoice{s.drafts, s.invoices} {
		for _, inv := range list {
			if inv.Status == invoice.InDraft || inv.Status == invoice.Open {
				add(inv.Lines)
			}
		}
	}
	return all
}

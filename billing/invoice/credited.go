package invoice

import (
	"slices"

	"perennial/billing/balance"
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Credited has the sums of all credit notes of an invoice, in minor units.
type Credited struct {
	Total  money.Minor
	Tax    money.Minor // of Total: tax that had been added to the lines
	Due    money.Minor // of Total: taken off the amount due
	Refund money.Minor // of Total: what went back in money
}

// ErrHasCreditNotes refuses to void or replace an invoice on which credit notes gave a part back already.
var ErrHasCreditNotes = fault.New(fault.Conflict, "invoice_has_credit_notes",
	"Credit notes reduce this open invoice, so that it cannot be voided or replaced. Credit the rest of it instead, or "+
		"wait until it is paid.")

// OwnDue returns the amount due without the part that was brought forward of earlier invoices.
func (i Invoice) OwnDue() money.Minor { return max(i.AmountDue-i.BroughtForward, 0) }

// Gone has the amounts that went back of an invoice before, as far as its sums do not show them.
type Gone struct {
	Beside   money.Minor  // without a credit note
	ToGrants balance.Uses // by credit notes, to the grants that paid
}

// Credit books a credit note: more is added to Credited, lines has the amount for each line, and toBalance goes to the
// customer's balance, or back to the grants that paid. It reduces the amount due of an open invoice; a rest that the
// provider cannot take is carried forward. The caller settles an invoice with nothing left to pay.
func (i Invoice) Credit(
	more Credited, lines map[string]money.Minor, toBalance money.Minor, gone Gone, limits money.Limits,
) (Invoice, []CreditEntry) {
	var l ledger
	before := i.Credited.Total + gone.Beside
	i.Credited.Total += more.Total
	i.Credited.Tax += more.Tax
	i.Credited.Due += more.Due
	i.Credited.Refund += more.Refund
	i.Lines = slices.Clone(i.Lines)
	for n := range i.Lines {
		i.Lines[n].Credited += lines[i.Lines[n].ID]
	}
	if i.Status == Open {
		i.AmountDue -= more.Due
		left := i.AmountDue - limits.Collectable(i.AmountDue)
		i.CarriedForward += left
		i.AmountDue -= left
		l.add(-left, CreditCarriedForward)
	}
	returned := i.grantsBack(before, before+more.Total, toBalance, gone.ToGrants)
	l.move(returned, 1, CreditNoted)
	l.add(toBalance-returned.Sum(), CreditNoted)
	return i, l.entries
}

// grantsBack returns the part of an amount for the balance that goes back to the grants that paid for the invoice.
// before and after are the sums given back before and after it, and had is the part that went to grants. Payments
// without grants are given back first. The sum without notes may be less than at an earlier note, where an invoice that
// credited time was voided since.
func (i Invoice) grantsBack(before, after, amount money.Minor, had balance.Uses) balance.Uses {
	if len(i.GrantsUsed) == 0 {
		return nil
	}
	otherwise := i.Total - i.GrantsUsed.Sum()
	from, to := max(before-otherwise, had.Sum()), max(after-otherwise, 0)
	return i.GrantsUsed.Back(min(to-from, amount), had)
}

// Uncredited returns the part of a line's amount that credit notes leave. Notes give amounts after discounts back: the
// same part of the amount before them counts as credited.
func (l Line) Uncredited() money.Minor {
	net := l.Net()
	if l.Credited == 0 || net <= 0 {
		return l.Amount
	}
	return money.Part(l.Amount, 0, int64(net-l.Credited), int64(net))
}

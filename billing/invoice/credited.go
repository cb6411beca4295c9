package invoice

import (
	"slices"

	"perennial/billing/balance"
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Credited is what all credit notes of an invoice give back, in minor units.
type Credited struct {
	Total  money.Minor
	Tax    money.Minor // of Total: what was added to the lines
	Due    money.Minor // of Total: what the invoice no longer asks for
	Refund money.Minor // of Total: what went back in money
}

// ErrHasCreditNotes refuses to take an invoice back of which credit notes gave a part back already.
var ErrHasCreditNotes = fault.New(fault.Conflict, "invoice_has_credit_notes",
	"Credit notes reduce this open invoice, so that it cannot be voided or replaced. Credit the rest of it instead, or "+
		"wait until it is paid.")

// OwnDue is what the invoice asks for itself: without what was brought forward of earlier ones.
func (i Invoice) OwnDue() money.Minor { return max(i.AmountDue-i.BroughtForward, 0) }

// Gone is what went back of an invoice before, as far as its sums do not say it.
type Gone struct {
	Beside   money.Minor  // without a credit note
	ToGrants balance.Uses // by credit notes, to the grants that paid
}

// Credit books a credit note: more is what it adds to Credited, lines what it gives back of each, and toBalance what
// goes to the customer's balance, or back to the grants that paid. An open invoice asks for less; what the provider
// could not take of the rest is carried forward. One with nothing left to pay is the caller's to settle.
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

// grantsBack is what of an amount for the balance goes back to the grants that paid for the invoice, where before and
// after it so much went back in all, and so much of that to grants. What was paid in another way is given back first.
// What went back without a note may be less than at an earlier note, where an invoice that took time back was voided
// since.
func (i Invoice) grantsBack(before, after, amount money.Minor, had balance.Uses) balance.Uses {
	if len(i.GrantsUsed) == 0 {
		return nil
	}
	otherwise := i.Total - i.GrantsUsed.Sum()
	from, to := max(before-otherwise, had.Sum()), max(after-otherwise, 0)
	return i.GrantsUsed.Back(min(to-from, amount), had)
}

// Uncredited is what credit notes leave of a line's amount. They give back what is billed after discounts: of an amount
// that discounts reduce, the same part.
func (l Line) Uncredited() money.Minor {
	net := l.Net()
	if l.Credited == 0 || net <= 0 {
		return l.Amount
	}
	return money.Part(l.Amount, 0, int64(net-l.Credited), int64(net))
}

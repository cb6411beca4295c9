package invoice

import (
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/money"
)

// Covered is an invoice that credit notes of the same decision pay at once, its entries in the customer's balance, and
// the amount that goes back in money.
type Covered struct {
	Invoice Invoice // without an ID: nothing is billed
	// Paid is the entry by which the notes pay it. They are booked before.
	Paid   []CreditEntry
	Refund money.Minor // goes back in money
	// OfNotes is the part of Refund that the notes give. FromBalance is the rest: earlier changes put it into the balance.
	OfNotes     money.Minor
	FromBalance []CreditEntry
}

// Cover issues a draft whose decision gives more back than it bills: given is the difference, in minor units. Neither
// the customer's balance nor grants pay for it. A draft without lines is no invoice. Fault: amount_too_large.
func (d Draft) Cover(in Issuing, given money.Minor) (Covered, error) {
	out := Covered{Refund: d.refundOf(given, in.Balance, in)}
	out.OfNotes = min(out.Refund, given)
	if beyond := out.Refund - out.OfNotes; beyond > 0 {
		out.FromBalance = []CreditEntry{{Amount: -beyond, Reason: CreditRefunded}}
	}
	if len(d.Lines) == 0 {
		return out, nil
	}
	sums, err := SumsOf(d.Lines)
	if err != nil {
		return Covered{}, err
	}
	inv := d.open(in, sums)
	inv.CreditApplied = inv.Total
	if inv.Total > 0 {
		out.Paid = []CreditEntry{{Amount: -inv.Total, Reason: CreditSettled}}
	}
	out.Invoice = inv.Settle(in.Now)
	return out, nil
}

// TakeBack records the lines that a draft takes back of invoices: sums are what their notes come to, below zero, and
// with is the invoice that the decision issues beside them.
func (d Draft) TakeBack(in Issuing, sums Sums, with string) Invoice {
	if with != "" {
		d.Reason, d.UsageUntil = Update, time.Time{} // that invoice is the one of its period
	}
	inv := d.invoice(in, sums)
	inv.UsageUntil = d.UsageUntil
	inv.Status, inv.With, inv.IssuedAt, inv.PaidAt = TakenBack, with, in.Now, in.Now
	inv.Collection.Phase = collection.Settled
	return inv
}

// Joined returns invoices as the decisions that issued them billed: lines that were taken back are on the invoice that
// was issued with them. So what a period was billed is a sum over the lines of its invoices, whichever documents tell
// of them.
func Joined(all []Invoice) []Invoice {
	if !slices.ContainsFunc(all, func(inv Invoice) bool { return inv.With != "" }) {
		return all
	}
	at, joined := make(map[string]int, len(all)), make([]Invoice, 0, len(all))
	for _, inv := range all { // lines that were taken back follow the invoices
		if i, ok := at[inv.With]; ok && inv.With != "" {
			joined[i] = joined[i].joined(inv)
			continue
		}
		at[inv.ID] = len(joined)
		joined = append(joined, inv)
	}
	return joined
}

func (i Invoice) joined(back Invoice) Invoice {
	i.Lines = slices.Concat(i.Lines, back.Lines)
	i.Discount, i.Tax, i.Total = i.Discount+back.Discount, i.Tax+back.Tax, i.Total+back.Total
	return i
}

package invoice

import (
	"slices"

	"perennial/billing/money"
)

// Returned returns the usage lines of an invoice as money that went back without a credit note leaves them: lines bear
// it as they bear notes, each the same share of what is left of it. returned is in minor units, with taxes. The money
// names no lines. Those of usage bear it first, as where a change gives back the time that other lines bill
// (costing.Period): so nothing goes back twice. usage are all usage lines of the invoice. Fault: amount_too_large.
func Returned(usage []Line, returned money.Minor) ([]Line, error) {
	left := slices.Clone(usage)
	for i, l := range left {
		left[i].Amount, left[i].Discounts = l.Net()-l.Credited, nil
	}
	sums, err := SumsOf(left)
	if err != nil || sums.Total <= 0 {
		return usage, err
	}
	gone := money.Part(sums.Subtotal, 0, int64(returned), int64(sums.Total)) // before taxes, at most all
	var positive, before money.Minor
	for _, l := range left {
		positive += max(l.Amount, 0)
	}
	usage = slices.Clone(usage)
	for i, l := range left {
		after := before + max(l.Amount, 0)
		usage[i].Credited += money.Part(gone, int64(before), int64(after), int64(positive))
		before = after
	}
	return usage, nil
}

// Back is money that went back of an invoice, or is to go back, in minor units.
type Back struct {
	InvoiceID string
	Money     money.Minor // in all
	Noted     money.Minor // of Money: by the credit notes of persons
}

// WithoutNote returns, by invoice, the money that went back without a credit note. all are the invoices of one
// subscription, the newest first. decided is the money that a cancellation gave back: its own lines bear that. It came
// from the newest charges first.
func WithoutNote(all []Back, decided money.Minor) map[string]money.Minor {
	left := make(map[string]money.Minor, len(all))
	for _, b := range all {
		rest := max(b.Money-b.Noted, 0)
		own := min(rest, decided)
		decided -= own
		left[b.InvoiceID] = rest - own
	}
	return left
}

package metered

import (
	"slices"

	"perennial/billing/money"
	"perennial/billing/usage"
)

// Due returns what is owed and not billed, key by key: the lines of the next invoice, whatever its occasion. billed is
// what all invoices so far have billed of the same segments. A key that came to less has a negative charge, at most of
// what was billed; one that is equal has none, so that a repeat has nothing to bill.
func Due(owed, billed []Charge) []Charge {
	known := map[Key]Charge{}
	for _, b := range billed {
		k := known[b.Key]
		k.Key, k.Quantity, k.Amount = b.Key, k.Quantity.Add(b.Quantity), k.Amount+b.Amount
		known[b.Key] = k
	}
	var due []Charge
	for _, o := range owed {
		b := known[o.Key]
		delete(known, o.Key)
		o.Quantity, o.Amount = o.Quantity.Sub(b.Quantity), o.Amount-b.Amount
		if o.Amount != 0 || o.Quantity.Sign() != 0 {
			due = append(due, o)
		}
	}
	for key, b := range known { // nothing is left of it
		if b.Amount != 0 || b.Quantity.Sign() != 0 {
			due = append(due, Charge{Key: key, Quantity: money.Whole(0).Sub(b.Quantity), Amount: -b.Amount})
		}
	}
	slices.SortFunc(due, func(a, b Charge) int { return a.Key.compare(b.Key) })
	return due
}

// Total sums charges. Fault: amount_too_large.
func Total(charges []Charge) (total money.Minor, err error) {
	for _, c := range charges {
		if total, err = money.Sum(total, c.Amount); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// Unrated is what no rate counts, which costs nothing and is to be seen.
func Unrated(of usage.Totals) (quantity money.Decimal, records int64) {
	quantity = money.Whole(0)
	for _, q := range of {
		if lotOf(q.Group).Rate == unrated {
			quantity, records = quantity.Add(q.Value), records+q.Records
		}
	}
	return quantity, records
}

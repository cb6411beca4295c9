package metered

import (
	"maps"
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
		o.Quantity, o.Amount, o.Before = o.Quantity.Sub(b.Quantity), o.Amount-b.Amount, o.Before+b.Amount
		if o.Amount != 0 || o.Quantity.Sign() != 0 {
			due = append(due, o)
		}
	}
	for key, b := range known { // nothing is left of it
		if b.Amount != 0 || b.Quantity.Sign() != 0 {
			due = append(due, Charge{Key: key, Quantity: money.Whole(0).Sub(b.Quantity), Amount: -b.Amount, Before: b.Amount})
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

// Afforded returns charges of one segment of which those below zero give back no more than is kept of their price: what
// was never asked for, or went back by a credit note, does not go back once more.
func Afforded(due []Charge, kept map[string]money.Minor) []Charge {
	left := maps.Clone(kept)
	for _, c := range due {
		if c.Amount > 0 {
			left[c.PriceID] += c.Amount // on the same invoice
		}
	}
	afforded := make([]Charge, 0, len(due))
	for _, c := range due {
		if most := max(left[c.PriceID], 0); c.Amount < 0 {
			c.Limited, c.Amount = -c.Amount > most, max(c.Amount, -most)
			left[c.PriceID] += c.Amount
		}
		afforded = append(afforded, c)
	}
	return afforded
}

package metered

import (
	"maps"
	"slices"

	"perennial/billing/money"
	"perennial/billing/usage"
)

// Due returns the owed and unbilled charges by key, which are the lines of the next invoice. billed has the charges of
// all earlier invoices for the same segments. A key whose amount decreased has a negative charge, of at most the billed
// amount. An equal one has none, so that a repetition bills nothing.
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

// Total returns the sum of charges. Fault: amount_too_large.
func Total(charges []Charge) (total money.Minor, err error) {
	for _, c := range charges {
		if total, err = money.Sum(total, c.Amount); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// Unrated returns the quantity without a rate, which costs nothing but is shown.
func Unrated(of usage.Totals) (quantity money.Decimal, records int64) {
	quantity = money.Whole(0)
	for _, q := range of {
		if lotOf(q.Group).Rate == unrated {
			quantity, records = quantity.Add(q.Value), records+q.Records
		}
	}
	return quantity, records
}

// Afforded limits the negative charges of one segment to the kept amount of their price: an amount that was never due,
// or that a credit note returned, is not returned again.
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

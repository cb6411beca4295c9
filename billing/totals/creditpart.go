package totals

import (
	"math/big"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// Left returns the amount of an invoice that can still be given back, with taxes.
func Left(d Draft, before Credited) (money.Minor, error) {
	sums, err := Of(d)
	if err != nil {
		return 0, err
	}
	net, tax := before.rest(sums)
	return net + tax, nil
}

// CreditPart gives an amount of an invoice back, taxes included: of every line and every tax the same share of the
// rest. Without discounts and negative lines the items sum to the note's Net. Lines never run out before the invoice
// does. Giving back the whole rest credits every line whole, unless negative lines have used some of them up. Faults:
// credit_exceeds_invoice.
func CreditPart(d Draft, amount money.Minor, before Credited) ([]Item, Note, error) {
	sums, err := Of(d)
	if err != nil {
		return nil, Note{}, err
	}
	net, tax := before.rest(sums)
	if amount < 1 || amount > net+tax {
		return nil, Note{}, ExceedsInvoice(net + tax)
	}
	left, gross, mixed := before.left(d), money.Minor(0), false
	for i, line := range d.Lines {
		left[i] = max(left[i], 0)
		gross += left[i]
		mixed = mixed || line.Amount < 0
	}
	if mixed {
		gross = min(gross, net)
	}
	note := Note{Tax: money.Part(tax, 0, int64(amount), int64(net+tax)), Total: amount}
	if amount < net+tax && amount-note.Tax == net && net > 0 {
		note.Tax++ // a line is left for the last note
	}
	note.Net = amount - note.Tax
	items := shares(left, share(gross, note.Net, net))
	returned := takeBack(d, sums, items)
	note.Discount = max(returned.gross-note.Net, 0)
	note.Taxes = returned.byRate(d, note.Tax, before.restByRate(sums), amount == net+tax)
	return items, note, nil
}

// share is part/whole of an amount, rounded down.
func share(amount, part, whole money.Minor) money.Minor {
	if whole == 0 {
		return 0
	}
	product := new(big.Int).Mul(big.NewInt(int64(amount)), big.NewInt(int64(part)))
	return money.Minor(product.Quo(product, big.NewInt(int64(whole))).Int64())
}

// shares splits an amount among lines by their rests.
func shares(left []money.Minor, amount money.Minor) (items []Item) {
	var all, upTo, given money.Minor
	for _, l := range left {
		all += l
	}
	for i, l := range left {
		upTo += l
		part := share(amount, upTo, all) - given
		given += part
		if part > 0 {
			items = append(items, Item{Line: i, Amount: part})
		}
	}
	return items
}

// ExceedsInvoice refuses a credit note of more than the invoice has left to give back.
func ExceedsInvoice(left money.Minor) error {
	return fault.InvalidParam("amount", "credit_exceeds_invoice",
		"The credit note exceeds the invoice: %d minor units are left of it, taxes included. Send at most that.", left)
}

// With returns the sums given back including an item that another invoice credited, with its taxes.
func (before Credited) With(d Draft, item Item) Credited {
	sums, err := Of(d)
	if err != nil { // an issued invoice adds up
		return before
	}
	b := takeBack(d, sums, []Item{item})
	tax := rounded(&b.tax)
	before.Lines[item.Line] += item.Amount
	before.Net, before.Tax = before.Net+rounded(&b.net), before.Tax+tax
	for r, t := range b.byRate(d, tax, before.restByRate(sums), false) {
		before.Taxes[r].Base, before.Taxes[r].Amount = before.Taxes[r].Base+t.Base, before.Taxes[r].Amount+t.Amount
	}
	return before
}

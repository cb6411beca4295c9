package totals

import (
	"math/big"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// Item is a part of an invoice's line that a credit note gives back: an amount before discounts and taxes.
type Item struct {
	Line   int // place in Draft.Lines
	Amount money.Minor
}

// Note is a credit note: Net + Tax = Total. Net is the items without their share of the discounts.
type Note struct {
	Discount money.Minor // the items' share
	Net      money.Minor
	Tax      money.Minor
	Taxes    []TaxSum // by rate; the exclusive ones sum to Tax
	Total    money.Minor
}

// Credited has the amounts that earlier notes of an invoice gave back, by line and in all.
type Credited struct {
	Lines []money.Minor // by line, before discounts and taxes; nil for none
	Net   money.Minor
	Tax   money.Minor
	Taxes []TaxSum // by rate; nil for none
}

// CreditNote returns the value of a note for items of an invoice: with their share of the discounts and of the added
// taxes, each rounded once, and at most the rest that earlier notes left. The note that gives back the last of the
// lines takes the rest of both, so that all notes together equal the invoice. Faults: credit_exceeds_line.
func CreditNote(d Draft, items []Item, before Credited) (Note, error) {
	sums, err := Of(d)
	if err != nil {
		return Note{}, err
	}
	left := before.left(d)
	for n, item := range items {
		if item.Line < 0 || item.Line >= len(left) || item.Amount < 1 || item.Amount > left[item.Line] {
			return Note{}, exceeds(n)
		}
		left[item.Line] -= item.Amount
	}
	returned := takeBack(d, sums, items)
	restNet, restTax := before.rest(sums)
	note := Note{Net: min(rounded(&returned.net), restNet), Tax: min(rounded(&returned.tax), restTax)}
	all := last(left)
	if all {
		note.Net, note.Tax = restNet, restTax
	}
	note.Discount, note.Total = returned.gross-note.Net, note.Net+note.Tax
	note.Taxes = returned.byRate(d, note.Tax, before.restByRate(sums), all)
	return note, nil
}

// left returns the rest of each line.
func (before Credited) left(d Draft) []money.Minor {
	left := make([]money.Minor, len(d.Lines))
	for i, line := range d.Lines {
		left[i] = line.Amount
		if i < len(before.Lines) {
			left[i] -= before.Lines[i]
		}
	}
	return left
}

// rest returns the rest of the lines after discounts, and of the taxes that are added to them.
func (before Credited) rest(sums Sums) (net, tax money.Minor) {
	return max(sums.Subtotal-sums.Discount-before.Net, 0), max(sums.Tax-before.Tax, 0)
}

func (before Credited) restByRate(sums Sums) []TaxSum {
	rest := make([]TaxSum, len(sums.Taxes))
	for r, of := range sums.Taxes {
		if r < len(before.Taxes) {
			of.Base, of.Amount = of.Base-before.Taxes[r].Base, of.Amount-before.Taxes[r].Amount
		}
		rest[r] = of
	}
	return rest
}

// returned is the value of items, exact.
type returned struct {
	gross money.Minor
	net   big.Rat
	tax   big.Rat    // added
	bases []*big.Rat // by rate
}

func takeBack(d Draft, sums Sums, items []Item) *returned {
	b := &returned{bases: make([]*big.Rat, len(d.Rates))}
	for r := range b.bases {
		b.bases[r] = new(big.Rat)
	}
	for _, item := range items {
		line := d.Lines[item.Line]
		b.gross += item.Amount
		part := new(big.Rat).SetFrac64(int64(item.Amount), int64(line.Amount))
		part.Mul(part, sums.Lines[item.Line].Net)
		b.net.Add(&b.net, part)
		part.Quo(part, inclusive(d, line).Add(hundred).Hundredth().Rat())
		for _, r := range line.Rates {
			b.bases[r].Add(b.bases[r], part)
			if !d.Rates[r].Inclusive {
				b.tax.Add(&b.tax, new(big.Rat).Mul(part, d.Rates[r].Percent.Hundredth().Rat()))
			}
		}
	}
	return b
}

// byRate shares the tax of a note among the rates: by the items' tax of each rate, and no more than its rest. The last
// note takes the rests.
func (b *returned) byRate(d Draft, tax money.Minor, rest []TaxSum, all bool) []TaxSum {
	if len(rest) == 0 || all && tax == sumAdded(d, rest) { // else the invoice gives some tax back itself
		return rest
	}
	taxes := make([]TaxSum, len(rest))
	var added, contained running
	for r, rate := range d.Rates {
		exact := new(big.Rat).Mul(b.bases[r], rate.Percent.Hundredth().Rat())
		taxes[r].Base = max(min(rounded(b.bases[r]), rest[r].Base), 0)
		if rate.Inclusive {
			taxes[r].Amount = max(min(contained.next(exact), rest[r].Amount), 0)
			continue
		}
		taxes[r].Amount = max(min(added.next(exact), rest[r].Amount, tax), 0)
		tax -= taxes[r].Amount
	}
	for r, rate := range d.Rates { // shares that one rate had no room for
		if room := min(rest[r].Amount-taxes[r].Amount, tax); !rate.Inclusive && room > 0 {
			taxes[r].Amount, tax = taxes[r].Amount+room, tax-room
		}
	}
	return taxes
}

// sumAdded is the tax of the rates that are not inclusive.
func sumAdded(d Draft, taxes []TaxSum) (sum money.Minor) {
	for r, t := range taxes {
		if !d.Rates[r].Inclusive {
			sum += t.Amount
		}
	}
	return sum
}

func last(left []money.Minor) bool {
	for _, amount := range left {
		if amount > 0 {
			return false
		}
	}
	return true
}

func exceeds(item int) error {
	return fault.New(fault.Invalid, "credit_exceeds_line",
		"Item %d of the credit note exceeds what is left of its line. Send at least 1 and at most what was not credited.",
		item)
}

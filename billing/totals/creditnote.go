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
	Total    money.Minor
}

// Credited is what earlier notes of an invoice gave back, by line and in all.
type Credited struct {
	Lines []money.Minor // by line, before discounts and taxes; nil for none
	Net   money.Minor
	Tax   money.Minor
}

// CreditNote returns what it is worth to give items of an invoice back: their share of the discounts and of the taxes
// that are added, each rounded once, and never more than the earlier notes left. The note that gives back the last of
// the lines takes the rest of both, so that all notes together are the invoice. Faults: credit_exceeds_line.
func CreditNote(d Draft, items []Item, before Credited) (Note, error) {
	sums, err := Of(d)
	if err != nil {
		return Note{}, err
	}
	left := make([]money.Minor, len(d.Lines))
	for i, line := range d.Lines {
		left[i] = line.Amount
		if i < len(before.Lines) {
			left[i] -= before.Lines[i]
		}
	}
	net, tax, gross := new(big.Rat), new(big.Rat), money.Minor(0)
	for n, item := range items {
		if item.Line < 0 || item.Line >= len(left) || item.Amount < 1 || item.Amount > left[item.Line] {
			return Note{}, exceeds(n)
		}
		left[item.Line] -= item.Amount
		gross += item.Amount
		part := new(big.Rat).SetFrac64(int64(item.Amount), int64(d.Lines[item.Line].Amount))
		part.Mul(part, sums.Lines[item.Line].Net)
		net.Add(net, part)
		tax.Add(tax, new(big.Rat).Mul(part, added(d, d.Lines[item.Line])))
	}
	restNet, restTax := sums.Subtotal-sums.Discount-before.Net, sums.Tax-before.Tax
	note := Note{Net: min(rounded(net), max(restNet, 0)), Tax: min(rounded(tax), max(restTax, 0))}
	if last(left) {
		note.Net, note.Tax = max(restNet, 0), max(restTax, 0)
	}
	note.Discount, note.Total = gross-note.Net, note.Net+note.Tax
	return note, nil
}

// added is the factor of the taxes that are added to a line.
func added(d Draft, line Line) *big.Rat {
	var exclusive money.Decimal
	for _, r := range line.Rates {
		if !d.Rates[r].Inclusive {
			exclusive = exclusive.Add(d.Rates[r].Percent)
		}
	}
	return new(big.Rat).Quo(exclusive.Rat(), inclusive(d, line).Add(hundred).Rat())
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
		"Item %d of the credit note exceeds what is left of its line. Send at least 1 and at most what was not credited.", item)
}

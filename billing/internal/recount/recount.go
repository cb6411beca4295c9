// Package recount calculates the amount of a line from its explanation alone, for tests. It shares no arithmetic with
// the rules that made the line: fractions instead of decimals, and its own rounding.
package recount

import (
	"fmt"
	"math/big"

	"perennial/billing/invoice"
	"perennial/billing/money"
)

// Line returns an error where the amount of a line does not follow from its explanation. reversed is the line that a
// credit names; it may be empty for all others. A line that a person wrote with an amount alone cannot be checked.
func Line(l, reversed invoice.Line, c money.Currency) error {
	by := l.Explanation
	if by == nil {
		return simple(l, c)
	}
	whole, err := sum(by.Steps, c)
	if err != nil {
		return err
	}
	amount := whole - int64(by.Before)
	if by.Before != 0 && l.Kind != invoice.Metered {
		return fmt.Errorf("%d was billed before, of what is no usage", by.Before)
	}
	if by.Part != nil {
		if amount, err = part(*by, whole, reversed); err != nil {
			return err
		}
		amount -= int64(by.Before)
	} else if l.Prorated() {
		return fmt.Errorf("no part of the period")
	}
	if by.Limit != nil && l.Kind == invoice.Metered {
		if int64(by.Limit.Amount) >= -amount {
			return fmt.Errorf("the limit %+v lowers nothing of %d", *by.Limit, amount)
		}
		amount = -int64(by.Limit.Amount)
	} else if by.Limit != nil {
		if int64(by.Limit.Amount) >= amount || by.Limit.Reason == "" || l.Kind != invoice.ProrationCredit {
			return fmt.Errorf("the limit %+v lowers nothing of %d", *by.Limit, amount)
		}
		amount = int64(by.Limit.Amount)
	}
	if l.Kind == invoice.ProrationCredit {
		amount = -amount
	}
	if amount != int64(l.Amount) {
		return fmt.Errorf("the explanation comes to %d, the line to %d", amount, l.Amount)
	}
	return nil
}

// simple checks a line without an explanation.
func simple(l invoice.Line, c money.Currency) error {
	switch {
	case l.Prorated():
		return fmt.Errorf("a part of a period is not explained")
	case l.UnitPrice == "" && l.PriceID == "":
		return nil
	}
	product := new(big.Rat).Mul(number(l.Quantity), number(l.UnitPrice))
	if amount := rounded(inMinor(product, c)); amount != int64(l.Amount) {
		return fmt.Errorf("%s × %s comes to %d, the line to %d", l.Quantity, l.UnitPrice, amount, l.Amount)
	}
	return nil
}

// sum adds the steps, and rounds once.
func sum(steps []invoice.Step, c money.Currency) (int64, error) {
	exact := new(big.Rat)
	for _, s := range steps {
		amount := number(s.Amount)
		if amount.Cmp(new(big.Rat).Mul(number(s.Quantity), number(s.UnitPrice))) != 0 {
			return 0, fmt.Errorf("the step %+v is not its quantity × unit price", s)
		}
		exact.Add(exact, amount)
	}
	return rounded(inMinor(exact, c)), nil
}

// part takes the part of a whole.
func part(by invoice.Explanation, whole int64, reversed invoice.Line) (int64, error) {
	p := *by.Part
	switch {
	case p.Of == invoice.DividedPeriod && int64(p.Whole) != whole:
		return 0, fmt.Errorf("the steps come to %d, the whole to %d", whole, p.Whole)
	case p.Of == invoice.DividedLine && (len(by.Steps) > 0 || p.Whole != reversed.Amount):
		return 0, fmt.Errorf("a part of %d, but the line that it reverses is of %d", p.Whole, reversed.Amount)
	case p.Of != invoice.DividedPeriod && p.Of != invoice.DividedLine, p.Measure == "", p.From < 0, p.From > p.To,
		p.To > p.Length, p.Length < 1:
		return 0, fmt.Errorf("no span: %+v", p)
	}
	until := func(n int64) int64 {
		return rounded(new(big.Rat).Mul(big.NewRat(int64(p.Whole), 1), big.NewRat(n, p.Length)))
	}
	return until(p.To) - until(p.From), nil
}

// number reads a decimal; an empty one, which no line of a price has, makes the calculation fail.
func number(s string) *big.Rat {
	n, ok := new(big.Rat).SetString(s)
	if !ok {
		return big.NewRat(-1, 7)
	}
	return n
}

func inMinor(n *big.Rat, c money.Currency) *big.Rat {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.Decimals())), nil)
	return new(big.Rat).Mul(n, new(big.Rat).SetInt(scale))
}

// rounded rounds half away from zero: the floor of twice the size plus one, halved.
func rounded(n *big.Rat) int64 {
	twice := new(big.Int).Lsh(new(big.Int).Abs(n.Num()), 1)
	up := twice.Add(twice, n.Denom())
	size := up.Quo(up, new(big.Int).Lsh(n.Denom(), 1)).Int64()
	if n.Sign() < 0 {
		return -size
	}
	return size
}

package rating

import "perennial/billing/money"

// percentage charges a share of an amount of money, and for each transaction a fee, between a minimum and a maximum for
// each. Transactions are free, in the order of time, until either their number or their sum is used up. The one that
// exceeds the free sum pays its fee, and its share of what exceeds it.
type percentage struct{}

func (percentage) parameters() (needs, allows []string) {
	return []string{"percent"}, []string{"transactions", "minimum", "maximum"}
}

func (percentage) steps(steps []Step, p Price, of usage, _ money.Currency) []Step {
	t := tally{rate: p.Percent.Hundredth(), rules: p.Transactions}
	for _, amount := range of.transactions {
		t.add(positive(amount))
	}
	if t.free.Sign() > 0 {
		steps = append(steps, step(Included, 0, t.free, money.Whole(0)))
	}
	if t.charged.Sign() > 0 {
		steps = append(steps, step(Share, 0, t.charged, t.rate))
	}
	if t.paying > 0 && t.rules.Fee.Sign() > 0 {
		steps = append(steps, step(Fees, 0, money.Whole(t.paying), t.rules.Fee))
	}
	if t.raised.Sign() > 0 {
		steps = append(steps, step(Raised, 0, money.Whole(1), t.raised))
	}
	if t.lowered.Sign() < 0 {
		steps = append(steps, step(Lowered, 0, money.Whole(1), t.lowered))
	}
	return steps
}

// tally adds up transactions, so that the explanation stays short however many there are.
type tally struct {
	rate  money.Decimal // as a factor
	rules Transactions

	seen, paying    int64
	free, charged   money.Decimal // sums of amounts
	raised, lowered money.Decimal // sums of what the bounds of single transactions change
	freeIsOver      bool
}

func (t *tally) add(amount money.Decimal) {
	free, exempt := t.freeOf(amount)
	t.seen++
	t.free = t.free.Add(free)
	if exempt {
		return
	}
	rest := amount.Sub(free)
	t.paying++
	t.charged = t.charged.Add(rest)
	cost := rest.Mul(t.rate).Add(t.rules.Fee)
	if least := t.rules.Minimum; least.Sign() > 0 && cost.Cmp(least) < 0 {
		t.raised = t.raised.Add(least.Sub(cost))
		cost = least
	}
	if most := t.rules.Maximum; most.Sign() > 0 && cost.Cmp(most) > 0 {
		t.lowered = t.lowered.Add(most.Sub(cost))
	}
}

// freeOf returns how much of the next transaction is free, and whether it is exempt from its fee as well.
func (t *tally) freeOf(amount money.Decimal) (free money.Decimal, exempt bool) {
	byNumber, bySum := t.rules.Free > 0, t.rules.FreeAmount.Sign() > 0
	if t.freeIsOver || (!byNumber && !bySum) || (byNumber && t.seen >= int64(t.rules.Free)) {
		return money.Whole(0), false
	}
	if !bySum {
		return amount, true
	}
	left := t.rules.FreeAmount.Sub(t.free)
	t.freeIsOver = amount.Cmp(left) >= 0
	return smaller(amount, left), amount.Cmp(left) <= 0
}

package rating

import "perennial/billing/money"

// Tally sums up the transactions of a period, one after the other, for a price that may look at each. It stays small
// however many there are.
type Tally struct {
	price Price
	rate  money.Decimal // the percentage as a factor

	seen, paying    int64
	sum             money.Decimal // of all amounts
	free, charged   money.Decimal // sums of amounts that are not negative
	raised, lowered money.Decimal // sums of the changes by the bounds of single transactions
	freeIsOver      bool
}

// ByTransaction reports whether the cost depends on each transaction, not on their sum alone.
func (p Price) ByTransaction() bool { return p.Transactions != Transactions{} }

// Tally begins to count transactions for a price.
func (p Price) Tally() *Tally {
	zero := money.Whole(0)
	t := &Tally{price: p, rate: zero, sum: zero, free: zero, charged: zero, raised: zero, lowered: zero}
	if p.Percent.IsGiven() {
		t.rate = p.Percent.Hundredth()
	}
	return t
}

// Quantity is the sum of the transactions, in major units.
func (t *Tally) Quantity() money.Decimal { return t.sum }

// Count returns the number of added transactions.
func (t *Tally) Count() int64 { return t.seen }

// Rate returns the cost of the transactions. Faults: those of Price.Rate.
func (t *Tally) Rate(c money.Currency) (Rated, error) { return t.RateBy(t.price, c) }

// RateBy is Rate by a price that differs from the counting one only in the bounds of the period. Faults: those of
// Price.Rate.
func (t *Tally) RateBy(p Price, c money.Currency) (Rated, error) {
	return p.rate(usage{units: t.sum, transactions: t}, c)
}

// Add counts the next transaction, in the order of time: its amount in major units. An amount below zero costs the same
// as zero.
func (t *Tally) Add(amount money.Decimal) {
	t.sum = t.sum.Add(amount)
	amount = positive(amount)
	free, exempt := t.freeOf(amount)
	t.seen++
	t.free = t.free.Add(free)
	if exempt {
		return
	}
	rules := t.price.Transactions
	rest := amount.Sub(free)
	t.paying++
	t.charged = t.charged.Add(rest)
	if !rules.bounded() {
		return
	}
	cost := rest.Mul(t.rate).Add(rules.Fee)
	if least := rules.Minimum; least.Sign() > 0 && cost.Cmp(least) < 0 {
		t.raised = t.raised.Add(least.Sub(cost))
		cost = least
	}
	if most := rules.Maximum; most.Sign() > 0 && cost.Cmp(most) > 0 {
		t.lowered = t.lowered.Add(most.Sub(cost))
	}
}

func (t Transactions) bounded() bool { return t.Minimum.Sign() > 0 || t.Maximum.Sign() > 0 }

// freeOf returns how much of the next transaction is free, and whether it is exempt from its fee as well.
func (t *Tally) freeOf(amount money.Decimal) (free money.Decimal, exempt bool) {
	rules := t.price.Transactions
	byNumber, bySum := rules.Free > 0, rules.FreeAmount.Sign() > 0
	if t.freeIsOver || (!byNumber && !bySum) || (byNumber && t.seen >= int64(rules.Free)) {
		return money.Whole(0), false
	}
	if !bySum {
		return amount, true
	}
	left := rules.FreeAmount.Sub(t.free)
	t.freeIsOver = amount.Cmp(left) >= 0
	return smaller(amount, left), amount.Cmp(left) <= 0
}

// During returns the parts of a percentage that are for a period for a span of it: n of a number of units to length.
// Spans that divide a period sum to the whole.
func (t Transactions) During(from, to, length int64) Transactions {
	if t.Free > 0 {
		free := int64(t.Free)
		if t.Free = int(free*to/length - free*from/length); t.Free == 0 { // none is free, whatever the sum
			t.FreeAmount = money.Decimal{}
		}
	}
	if t.FreeAmount.Sign() > 0 {
		t.FreeAmount = t.FreeAmount.Part(from, to, length)
	}
	return t
}

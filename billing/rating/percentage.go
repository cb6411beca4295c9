package rating

import "perennial/billing/money"

// percentage charges a share of an amount of money, and for each transaction a fee, between a minimum and a maximum for
// each. Transactions are free, in the order of time, until either their number or their sum is used up. The one that
// exceeds the free sum pays its fee, and its share of the excess.
type percentage struct{}

func (percentage) parameters() (needs, allows []string) {
	return []string{"percent"}, []string{"transactions", "minimum", "maximum"}
}

func (percentage) steps(steps []Step, p Price, of usage, _ money.Currency) []Step {
	t := of.transactions
	if t == nil {
		t = p.Tally()
		t.Add(of.units)
	}
	if t.free.Sign() > 0 {
		steps = append(steps, step(Included, 0, t.free, money.Whole(0)))
	}
	if t.charged.Sign() > 0 {
		steps = append(steps, step(Share, 0, t.charged, t.rate))
	}
	if fee := p.Transactions.Fee; t.paying > 0 && fee.Sign() > 0 {
		steps = append(steps, step(Fees, 0, money.Whole(t.paying), fee))
	}
	if t.raised.Sign() > 0 {
		steps = append(steps, step(Raised, 0, money.Whole(1), t.raised))
	}
	if t.lowered.Sign() < 0 {
		steps = append(steps, step(Lowered, 0, money.Whole(1), t.lowered))
	}
	return steps
}

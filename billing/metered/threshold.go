package metered

import "perennial/billing/money"

// Threshold is an amount of a period's usage that is announced once when it is reached.
type Threshold struct {
	ID     string
	Amount money.Minor // 0: Percent of the plan's commitment
	// Percent of the commitment, such as 80; absent: Amount.
	Percent money.Decimal
}

// Crossed returns the thresholds that an amount has reached and that were not crossed before, in their order. What was
// crossed stays so, whatever corrections take back.
func Crossed(all []Threshold, crossed map[string]bool, spent, committed money.Minor) (now []Threshold) {
	for _, t := range all {
		if !crossed[t.ID] && t.reached(spent, committed) {
			now = append(now, t)
		}
	}
	return now
}

// reached: a share of nothing is never reached.
func (t Threshold) reached(spent, committed money.Minor) bool {
	if t.Amount > 0 {
		return spent >= t.Amount
	}
	share := money.Whole(int64(committed)).Mul(t.Percent)
	return share.Sign() > 0 && money.Whole(int64(spent)).Mul(money.Whole(100)).Cmp(share) >= 0
}

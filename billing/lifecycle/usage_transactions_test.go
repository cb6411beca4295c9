package lifecycle_test

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// transactions answers a question from the records with their corrections, in the order of time.
func (l *life) transactions(q *metered.Question) []usage.Totals {
	of := usage.Metric{Version: 1, Definition: usage.Definition{Aggregation: usage.Sum, GroupBy: []string{"region"}}}
	counter := q.Counter(of)
	for _, r := range l.effective(q.Component.MetricName) {
		p := usage.Properties{}
		if r.region != "" {
			p["region"] = r.region
		}
		one, _ := of.Measure(usage.Record{At: r.at, Quantity: money.Whole(r.quantity), Properties: p})
		require.NoError(l.t, counter.Take([]usage.Measured{one}))
	}
	return counter.Totals()
}

// effective returns the records of a metric after corrections, in the order of time, without those that corrections
// reversed in full.
func (l *life) effective(metric string) (left []record) {
	for _, r := range l.store.records {
		if r.metric != metric {
			continue
		}
		same := func(other record) bool { return other.at.Equal(r.at) && other.region == r.region }
		if i := slices.IndexFunc(left, same); i >= 0 {
			left[i].quantity += r.quantity
		} else {
			left = append(left, r)
		}
	}
	left = slices.DeleteFunc(left, func(r record) bool { return r.quantity == 0 })
	slices.SortStableFunc(left, func(a, b record) int { return a.at.Compare(b.at) })
	return left
}

// costByTransaction computes by hand the cost of a lot's transactions, in minor units.
func (l *life) costByTransaction(p rating.Price, s metering.Segment, c metered.Component, of metered.Lot) *big.Rat {
	free := int64(p.Transactions.Free)*s.Share.To/s.Share.Length - int64(p.Transactions.Free)*s.Share.From/s.Share.Length
	sum := new(big.Rat)
	for _, r := range l.effective(c.MetricName) {
		if r.at.Before(s.Start) || !r.at.Before(s.End) || string(lotOf(c, r)) != fmt.Sprintf("%d %s", of.Rate, of.By) {
			continue
		}
		if free--; free >= 0 {
			continue
		}
		cost := new(big.Rat).SetInt64(r.quantity) // a hundredth of it in minor units is the percentage
		cost.Mul(cost, p.Percent.Rat()).Add(cost, new(big.Rat).Mul(p.Transactions.Fee.Rat(), big.NewRat(100, 1)))
		if most := new(big.Rat).Mul(p.Transactions.Maximum.Rat(), big.NewRat(100, 1)); cost.Cmp(most) > 0 {
			cost = most
		}
		sum.Add(sum, cost)
	}
	return sum
}

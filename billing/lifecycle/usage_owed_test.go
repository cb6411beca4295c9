package lifecycle_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// checkOwed compares the usage charges of all invoices with a recount from the records, in fractions, and the segments
// with the events. It shares no arithmetic with package metered, and no code that separates records.
func (l *life) checkOwed() {
	if !l.store.customer.ErasedAt.IsZero() {
		return // usage that was unbilled by then has no recipient
	}
	l.checkSegments()
	for _, r := range l.store.records {
		in := slices.DeleteFunc(slices.Clone(l.store.segments), func(s metering.Segment) bool {
			return r.at.Before(s.Start) || !r.at.Before(s.End)
		})
		if len(in) == 1 && in[0].Share.From == in[0].Share.To {
			continue // the instant of the subscription's end: no stretch has it
		}
		counted := slices.DeleteFunc(slices.Clone(l.account.stretches), func(s stretch) bool {
			return r.at.Before(s.from) || !r.at.Before(s.to)
		})
		if len(in) != len(counted) || len(in) > 1 || len(in) == 1 && !l.sameMetered(in[0], counted[0]) {
			require.Failf(l.t, "a record is in one segment, or costs nothing", "%+v: %+v, not %+v", r, in, said(counted))
		}
	}
	billed := map[metered.Key]money.Minor{}
	for _, c := range l.store.charges {
		for _, charge := range c.Charges {
			billed[charge.Key] += charge.Amount
		}
	}
	for _, s := range l.store.segments {
		if l.limited[s.Start.UnixMicro()] { // void or credited charges are not returned again
			for key := range billed {
				if key.Segment == s.Start.UnixMicro() {
					require.GreaterOrEqual(l.t, billed[key], money.Minor(0))
					delete(billed, key)
				}
			}
			continue
		}
		l.requireCounted(s)
		prices := l.store.priced(s).Prices()
		var spent, all money.Minor // on usage of the plan; on all arrears
		for _, c := range prices.Components {
			if c.Fixed {
				all += l.checkArrears(s, c, billed)
				continue
			}
			amount := l.checkComponent(s, c, billed)
			if all += amount; !c.AddOn {
				spent += amount
			}
		}
		if k := prices.Commitment; k != nil {
			all += l.checkAmount(s, k.ID, commitmentOf(*k, s, spent), billed)
		}
		if least := prices.Minimum; least != nil {
			l.checkAmount(s, least.ID, l.minimumOf(*least, s, all), billed)
		}
	}
	for key, amount := range billed {
		require.Zero(l.t, amount, "billed, but owed by nothing: %+v", key)
	}
}

// requireCounted compares a segment with the stretch at its end, which comes from the events: both have the same
// prices, for as many units.
func (l *life) requireCounted(s metering.Segment) {
	if s.Share.From == s.Share.To {
		return // the instant of the subscription's end: no stretch has it
	}
	last := s.End.Add(-time.Nanosecond)
	i := slices.IndexFunc(l.account.stretches, func(of stretch) bool {
		return !last.Before(of.from) && (of.to.IsZero() || last.Before(of.to))
	})
	if i < 0 || !l.sameMetered(s, l.account.stretches[i]) {
		require.Failf(l.t, "a segment has the prices that counted", "%+v of %+v", s, said(l.account.stretches))
	}
}

// checkComponent recounts the cost of a component in a segment, removes it from billed, and returns it.
func (l *life) checkComponent(
	s metering.Segment, c metered.Component, billed map[metered.Key]money.Minor,
) (spent money.Minor) {
	type lot struct {
		rate int
		by   string
	}
	units := map[lot][2]int64{}        // before the segment, where that counts, and in it
	left := map[lot]map[record]int64{} // of each record in the segment: an empty lot has no minimum
	for rate := range c.Rates {
		if len(c.Rates[rate].By) == 0 {
			units[lot{rate, ""}] = [2]int64{}
		}
	}
	for _, r := range l.store.records {
		rate := slices.IndexFunc(c.Rates, func(rate metered.Rate) bool {
			return len(rate.Where) == 0 || rate.Where["region"] == r.region
		})
		before := c.Cumulated && r.at.Before(s.Start) && l.inSegmentOf(r.at, c.ID)
		within := !r.at.Before(s.Start) && r.at.Before(s.End)
		if r.metric != c.MetricName || rate < 0 || !before && !within {
			continue
		}
		of := lot{rate, byOf(c, rate, r)}
		sums := units[of]
		if within {
			sums[1] += r.quantity
			if left[of] == nil {
				left[of] = map[record]int64{}
			}
			left[of][record{at: r.at, metric: r.metric, region: r.region}] += r.quantity
		} else {
			sums[0] += r.quantity
		}
		units[of] = sums
	}
	for of, sums := range units {
		gone := !slices.ContainsFunc(slices.Collect(maps.Values(left[of])), func(n int64) bool { return n != 0 })
		if of.by != "" && gone {
			continue // its charges were returned
		}
		price := c.Rates[of.rate].Price
		key := metered.Key{
			PriceID: c.ID, Segment: s.Start.UnixMicro(), Lot: metered.Lot{Rate: of.rate, By: usage.Group(of.by)},
		}
		amount := billed[key]
		delete(billed, key)
		spent += amount
		if c.Cumulated {
			want := nearest(costOf(price, nil, sums[0]+sums[1])) - nearest(costOf(price, nil, sums[0]))
			require.Equal(l.t, want, amount, "%+v of %+v", key, s)
			continue
		}
		exact := costOf(price, &s, sums[1])
		if price.ByTransaction() {
			exact = l.costByTransaction(price, s, c, key.Lot)
		}
		off := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(int64(amount)))
		if off.Abs(off).Cmp(big.NewRat(500_001, 1_000_000)) > 0 {
			require.Failf(l.t, "what is billed of usage is owed", "%d, not %s: %+v of %+v", amount, exact.FloatString(4), key, s)
		}
	}
	return spent
}

// inSegmentOf reports whether a component counted at a time.
func (l *life) inSegmentOf(at time.Time, componentID string) bool {
	return slices.ContainsFunc(l.store.segments, func(s metering.Segment) bool {
		return !at.Before(s.Start) && at.Before(s.End) && l.hasComponent(s, componentID)
	})
}

// costOf computes the cost of units by hand, in minor units. of is the segment whose part of the period counts; nil:
// all of it.
func costOf(p rating.Price, of *metering.Segment, units int64) *big.Rat {
	share := func(whole *big.Rat) *big.Rat {
		if of == nil {
			return whole
		}
		return new(big.Rat).Mul(whole, big.NewRat(of.Share.To-of.Share.From, of.Share.Length))
	}
	left := new(big.Rat).SetInt64(units)
	if p.Included.IsGiven() {
		if left.Sub(left, share(p.Included.Rat())); left.Sign() < 0 {
			left.SetInt64(0)
		}
	}
	cost := new(big.Rat)
	switch p.Model {
	case rating.PerUnit:
		cost.Mul(left, p.UnitPrice.Rat())
	case rating.Percentage:
		cost.Mul(left, p.Percent.Rat()).Mul(cost, big.NewRat(1, 100))
	case rating.Flat:
		cost.SetFrac64(int64(p.Amount), 100)
	default: // by tiers
	}
	hundred := big.NewRat(100, 1)
	cost.Mul(cost, hundred)
	below := new(big.Rat)
	for i, tier := range p.Tiers {
		if i > 0 && left.Cmp(below) <= 0 {
			break
		}
		upTo := left
		if tier.UpTo.IsGiven() && tier.UpTo.Rat().Cmp(left) < 0 {
			upTo = tier.UpTo.Rat()
		}
		here := new(big.Rat).Sub(upTo, below)
		cost.Add(cost, here.Mul(here, tier.UnitPrice.Rat()).Mul(here, hundred))
		cost.Add(cost, new(big.Rat).SetInt64(int64(tier.FlatAmount)))
		below = upTo
	}
	if p.Minimum > 0 {
		if least := new(big.Rat).SetInt64(partOf(p.Minimum, of)); cost.Cmp(least) < 0 {
			cost = least
		}
	}
	if p.Maximum > 0 {
		if most := new(big.Rat).SetInt64(max(partOf(p.Maximum, of), 1)); cost.Cmp(most) > 0 {
			cost = most
		}
	}
	return cost
}

// partOf returns a segment's part of an amount for a period.
func partOf(whole money.Minor, of *metering.Segment) int64 {
	if of == nil {
		return int64(whole)
	}
	until := func(n int64) int64 {
		return int64(nearest(new(big.Rat).Mul(new(big.Rat).SetInt64(int64(whole)), big.NewRat(n, of.Share.Length))))
	}
	return until(of.Share.To) - until(of.Share.From)
}

// nearest rounds a non-negative amount, half up.
func nearest(n *big.Rat) money.Minor {
	twice := new(big.Int).Mul(n.Num(), big.NewInt(2))
	twice.Add(twice, n.Denom())
	return money.Minor(twice.Quo(twice, new(big.Int).Mul(n.Denom(), big.NewInt(2))).Int64())
}

// checkAmount compares the charges of a segment by an id with the wanted amount, and removes them from billed.
func (l *life) checkAmount(
	s metering.Segment, id string, want money.Minor, billed map[metered.Key]money.Minor,
) money.Minor {
	key := metered.Key{PriceID: id, Segment: s.Start.UnixMicro()}
	if billed[key] != want {
		require.Failf(l.t, "what is billed of a segment is what is owed", "%d of %s, not %d: %+v", billed[key], id, want, s)
	}
	delete(billed, key)
	return want
}

// minimumOf returns the amount that a period's minimum adds to the arrears of a segment, after the list price in
// advance.
func (l *life) minimumOf(least metered.Minimum, of metering.Segment, after money.Minor) money.Minor {
	before := listPrice(l.store.plans[of.Plan], of.Quantity)
	for _, a := range of.AddOns {
		before += listPrice(l.store.plans[a.Ref], a.Quantity)
	}
	return max(money.Minor(partOf(least.Amount, &of)-partOf(before, &of))-after, 0)
}

// listPrice computes by hand the price in advance of a whole period of a plan or an add-on.
func listPrice(of plan.Plan, units int64) (sum money.Minor) {
	for _, p := range of.Prices {
		switch {
		case p.Arrears || p.Once:
		case p.Model == rating.Volume: // all units have the price of the last one's tier
			tier := p.Tiers[slices.IndexFunc(p.Tiers, func(t rating.Tier) bool {
				return !t.UpTo.IsGiven() || t.UpTo.Rat().Cmp(new(big.Rat).SetInt64(units)) >= 0
			})]
			cost := new(big.Rat).Mul(tier.UnitPrice.Rat(), big.NewRat(100*units, 1))
			sum += nearest(cost) + tier.FlatAmount
		default:
			sum += nearest(costOf(p.Price, nil, units))
		}
	}
	return sum
}

// commitmentOf returns the amount that a commitment adds to the spending of a segment.
func commitmentOf(k metered.Commitment, of metering.Segment, spent money.Minor) money.Minor {
	committed := money.Minor(partOf(k.Amount, &of))
	switch {
	case spent <= committed:
		return committed - spent
	case !k.OverageFactor.IsGiven():
		return 0
	}
	more := new(big.Rat).Sub(k.OverageFactor.Rat(), big.NewRat(1, 1))
	return nearest(more.Mul(more, new(big.Rat).SetInt64(int64(spent-committed))))
}

// sameMetered reports whether a segment has the prices that counted.
func (l *life) sameMetered(s metering.Segment, counted stretch) bool {
	a, b := l.store.priced(s).Prices(), counted.prices()
	return a.Same(b) && a.SameCommitment(b) && a.SameMinimum(b)
}

// checkSegments checks that segments follow each other within a period, and their parts of the period too: no part of a
// period's amount counts twice, and none is missing between two segments without a gap.
func (l *life) checkSegments() {
	all := slices.Clone(l.store.segments)
	slices.SortFunc(all, byStart)
	for i, s := range all {
		if s.Share.From < 0 || s.Share.To < s.Share.From || s.Share.To > s.Share.Length {
			require.Failf(l.t, "a segment is a part of a period", "%+v", s)
		}
		if i == 0 || all[i-1].PeriodIndex != s.PeriodIndex {
			continue
		}
		before := all[i-1]
		joined := before.End.Equal(s.Start)
		if before.Share.Length != s.Share.Length || s.Share.From < before.Share.To ||
			joined && s.Share.From != before.Share.To {
			require.Failf(l.t, "the segments of a period divide it", "%+v and %+v", before, s)
		}
	}
	var sums = map[int]int64{}
	for _, s := range all {
		sums[s.PeriodIndex] += s.Share.To - s.Share.From
		if sums[s.PeriodIndex] > s.Share.Length {
			require.Failf(l.t, "the segments of a period are no more than it", "%+v", s)
		}
	}
	for _, inv := range l.store.billed() {
		for _, line := range inv.Lines {
			if line.Kind == invoice.Metered && (line.ItemID != "" || line.PriceID == "") {
				require.Failf(l.t, "a line of usage is of a metered price, and of no item", "%+v", line)
			}
		}
	}
}

// said formats stretches.
func said(all []stretch) (out []string) {
	for _, of := range all {
		out = append(out, fmt.Sprintf("%s to %s:", of.from, of.to))
		for _, one := range of.sold {
			out = append(out, fmt.Sprintf("%d of %+v", one.units, one.plan.Ref()))
		}
	}
	return out
}

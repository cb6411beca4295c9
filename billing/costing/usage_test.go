package costing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/internal/recount"
	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
	"perennial/billing/usage"
)

// usedPlan has calls at 0.015 each, and storage with five included units.
func usedPlan(t *testing.T) plan.Plan {
	t.Helper()
	p := priced("used", rating.Price{Model: rating.Flat, Amount: 1900}, "EUR")
	p.Metered = &metered.Prices{Components: []metered.Component{
		{ID: "calls", MetricName: "calls", Rates: []metered.Rate{
			{Price: rating.Price{Model: rating.PerUnit, UnitPrice: number(t, "0.015")}},
		}},
		{ID: "storage", MetricName: "storage", Rates: []metered.Rate{
			{Price: rating.Price{Model: rating.PerUnit, UnitPrice: number(t, "0.1"), Included: money.Whole(5)}},
		}},
	}, Commitment: &metered.Commitment{ID: "commitment", Amount: 500}}
	return p
}

func number(t *testing.T, s string) money.Decimal {
	t.Helper()
	d, err := money.ParseDecimal(s)
	require.NoError(t, err)
	return d
}

// coupons are of a subscription: half off, an amount, and half off from a later period on.
func coupons(t *testing.T) subscription.Discounts {
	t.Helper()
	half := discount.Terms{Discount: discount.Discount{Percent: number(t, "50")}, Duration: discount.Forever}
	amount := discount.Terms{Discount: discount.Discount{Amount: 100}, Currency: "EUR", Duration: discount.Forever}
	return subscription.Discounts{
		{CouponID: "half", Terms: half, From: 1}, {CouponID: "amount", Terms: amount, From: 1},
		{CouponID: "later", Terms: half, From: 2},
	}
}

// rate returns the unbilled charges of quantities of calls and storage.
func rate(
	t *testing.T, p plan.Plan, of metering.Segment, calls, storage int64, billed []metered.Charge,
) []metered.Charge {
	t.Helper()
	segment := metered.Segment{Start: of.Start, Share: of.Share, Commitment: p.Metered.Commitment}
	for i, n := range []int64{calls, storage} {
		segment.Usage = append(segment.Usage, metered.Used{Component: p.Metered.Components[i], Quantities: usage.Totals{
			{Group: "0 ", Value: money.Whole(n)},
		}})
	}
	owed, err := metered.Owed([]metered.Segment{segment}, "EUR")
	require.NoError(t, err)
	return metered.Due(owed, billed)
}

// segmentOf returns the whole of November, with the coupons that the subscription had then.
func segmentOf(t *testing.T, s Period, p plan.Plan) metering.Segment {
	t.Helper()
	span, err := s.ProrationMeasure.Span(s.CurrentPeriod, s.CurrentPeriod, time.UTC)
	require.NoError(t, err)
	return metering.Segment{
		Plan: p.Ref(), PeriodIndex: 1, Start: s.CurrentPeriod.Start, End: s.CurrentPeriod.End,
		Share: metered.Share{Span: span}, Discounts: coupons(t),
	}
}

// Coupons of percentages apply to usage of their period, even if the subscription has other coupons now; coupons of
// amounts reduce lines that are billed in advance.
func TestUsed_TakesPercentagesOff(t *testing.T) {
	t.Parallel()
	p := usedPlan(t)
	s := opened(p, 1, "")
	of := segmentOf(t, s, p)
	s.PeriodIndex, s.Discounts = 2, nil // the coupons have ended since

	lines, err := s.Used(metering.Priced{Segment: of, On: p}, rate(t, p, of, 101, 25, nil), nil)

	require.NoError(t, err)
	require.Len(t, lines, 3)
	want := map[string][3]money.Minor{"calls": {152, 76, 76}, "commitment": {148, 74, 74}, "storage": {200, 100, 100}}
	for _, line := range lines {
		bills := [3]money.Minor{line.Amount, line.Discounts.Of("half"), line.Net()}
		require.Equal(t, want[line.PriceID], bills, line.PriceID)
		require.Len(t, line.Discounts, 1)
		require.Equal(t, [2]any{invoice.Metered, 1}, [2]any{line.Kind, line.PeriodIndex})
		require.NoError(t, recount.Line(line, invoice.Line{}, "EUR"))
	}
	require.Equal(t, "0.015", lines[0].UnitPrice)
	require.Nil(t, lines[0].Explanation, "a quantity times a price says all")
}

// However usage comes and is corrected, in one line or in many, coupons take off the same as from the whole: a
// correction gives back the amount that was charged, and each line explains its amount.
func TestUsed_CorrectionsGiveBackWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	p := usedPlan(t)
	p.Metered.Commitment = nil
	s := opened(p, 1, "")
	of := segmentOf(t, s, p)
	of.Discounts[0].Percent = number(t, "33.3")
	var billed []metered.Charge
	var gross, net money.Minor
	for _, calls := range []int64{0, 1, 35, 34, 100, 67, 66, 65, 1, 0} {
		due := rate(t, p, of, calls, 0, billed)
		lines, err := s.Used(metering.Priced{Segment: of, On: p}, due, nil)
		require.NoError(t, err)
		billed = append(billed, due...)
		for _, line := range lines {
			require.NoError(t, recount.Line(line, invoice.Line{}, "EUR"), "%d calls: %+v", calls, line)
			require.Equal(t, line.Amount < 0, line.Net() < 0 || line.Amount < 0 && line.Net() == 0)
			gross, net = gross+line.Amount, net+line.Net()
		}
		whole, err := rating.Price{Model: rating.PerUnit, UnitPrice: number(t, "0.015")}.Rate(money.Whole(calls), "EUR")
		require.NoError(t, err)
		require.Equal(t, whole.Amount, gross, "%d calls", calls)
		require.Equal(t, whole.Amount-of.Discounts[0].Of(whole.Amount), net, "%d calls", calls)
	}
	require.Zero(t, net)
}

// A correction of a commitment that gives back only the kept amount explains its amount as any line does.
func TestUsed_OfALimitedCommitment(t *testing.T) {
	t.Parallel()
	p := usedPlan(t)
	s := opened(p, 1, "")
	of := segmentOf(t, s, p)
	billed := rate(t, p, of, 0, 0, nil)

	due := metered.Afforded(rate(t, p, of, 10_000, 0, billed), map[string]money.Minor{"commitment": 118})
	lines, err := s.Used(metering.Priced{Segment: of, On: p}, due, nil)

	require.NoError(t, err)
	require.Len(t, lines, 2)
	for _, line := range lines {
		require.NoError(t, recount.Line(line, invoice.Line{}, "EUR"), "%+v", line)
	}
	require.Equal(t, money.Minor(-118), lines[1].Amount)
}

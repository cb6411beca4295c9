package costing

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/usage"
)

// charged returns the charge for calls of one value of a dimension in a segment, at 0.015 each.
func charged(of metering.Segment, by usage.Group, amount money.Minor) metered.Charge {
	return metered.Charge{
		Key: metered.Key{
			PriceID: "calls", Segment: of.Start.UnixMicro(), Lot: metered.Lot{By: by},
		}, Quantity: money.Whole(int64(amount)), Amount: amount,
	}
}

// byRegion prices the calls of the used plan by region, without a commitment and coupons.
func byRegion(t *testing.T) (Period, plan.Plan, metering.Segment) {
	t.Helper()
	p := usedPlan(t)
	p.Metered.Commitment = nil
	p.Metered.Components[0].Rates[0].By = []string{"region"}
	s := opened(p, 1, "")
	of := segmentOf(t, s, p)
	of.Discounts = nil
	return s, p, of
}

// The description of a line names the values of its records, and marks a correction.
func TestUsed_Describes(t *testing.T) {
	t.Parallel()
	s, p, of := byRegion(t)
	p.Metered.Minimum = &metered.Minimum{ID: "least", Amount: 1}
	other := charged(of, "", 5)
	for name, c := range map[string]struct {
		by     usage.Group
		id     string
		amount money.Minor
		want   string
	}{
		"a value":         {`["eu"]`, "calls", 5, "Team – calls (eu)"},
		"two":             {`["eu","gold"]`, "calls", 5, "Team – calls (eu, gold)"},
		"one is absent":   {`[null,"gold"]`, "calls", 5, "Team – calls (gold)"},
		"all are absent":  {`[null]`, "calls", 5, "Team – calls"},
		"none":            {"", "calls", 5, "Team – calls"},
		"a correction":    {`["eu"]`, "calls", -5, "Correction of Team – calls (eu)"},
		"another price":   {"", "storage", 5, "Team – storage"},
		"the minimum":     {"", "least", 5, "Team – Minimum"},
		"the commitment":  {"", "commitment", 5, "Team – Commitment"},
		"less commitment": {"", "commitment", -5, "Correction of Team – Commitment"},
	} {
		charge := other
		charge.PriceID, charge.Lot.By, charge.Amount = c.id, c.by, c.amount
		lines, err := s.Used(metering.Priced{Segment: of, On: p}, []metered.Charge{charge}, nil)
		require.NoError(t, err, name)
		require.Len(t, lines, 1, name)
		require.Equal(t, c.want, lines[0].Description, name)
	}
	lines, err := s.Used(metering.Priced{Segment: of, On: p}, []metered.Charge{charged(of, "", 0)}, nil)
	require.NoError(t, err)
	require.Empty(t, lines, "no line for nothing")
	bare := p
	bare.Metered = nil
	lines, err = s.Used(metering.Priced{Segment: of, On: bare}, []metered.Charge{other}, nil)
	require.NoError(t, err)
	require.Equal(t, "Team – Commitment", lines[0].Description, "without prices")
}

// The maximum of lines is unchanged. Beyond it, the lines with the smallest amounts become one, regardless of their
// signs.
func TestUsed_BoundsTheLinesOfAPrice(t *testing.T) {
	t.Parallel()
	s, p, of := byRegion(t)
	charges := func(amounts ...money.Minor) (all []metered.Charge) {
		for i, amount := range amounts {
			all = append(all, charged(of, usage.Group(fmt.Sprintf(`["r%03d"]`, i)), amount))
		}
		return all
	}
	var amounts []money.Minor
	for i := range MaxUsageLines {
		amounts = append(amounts, money.Minor(1000+i))
	}
	lines, err := s.Used(metering.Priced{Segment: of, On: p}, charges(amounts...), nil)
	require.NoError(t, err)
	require.Len(t, lines, MaxUsageLines)
	require.Equal(t, "Team – calls (r000)", lines[0].Description)

	amounts = append(amounts, 999)
	for name, place := range map[string]int{"first": 0, "in the middle": 100, "last": MaxUsageLines + 1} {
		more := append(append(append([]money.Minor{}, amounts[:place]...), -99_999), amounts[place:]...)
		lines, err := s.Used(metering.Priced{Segment: of, On: p}, charges(more...), nil)
		require.NoError(t, err, name)
		require.Len(t, lines, MaxUsageLines+1, name)
		require.True(t, slices.ContainsFunc(lines, func(l invoice.Line) bool { return l.Amount == -99_999 }), name)
		require.Equal(t, "Team – calls (2 others)", lines[MaxUsageLines].Description, name)
		require.Equal(t, money.Minor(999+1000), lines[MaxUsageLines].Amount, name)
		require.Equal(t, "1999", lines[MaxUsageLines].Quantity, name)
	}
}

// The description of a limited correction names the limit and the calculation of the full amount.
func TestUsed_ExplainsALimit(t *testing.T) {
	t.Parallel()
	p := usedPlan(t)
	p.Metered.Commitment = nil
	s := opened(p, 1, "")
	of := segmentOf(t, s, p)
	of.Discounts = nil
	billed := rate(t, p, of, 0, 25, nil) // 20 of 25 units, at 0.10
	require.Equal(t, money.Minor(200), billed[0].Amount)
	due := metered.Afforded(rate(t, p, of, 0, 10, billed), map[string]money.Minor{"storage": 70})

	lines, err := s.Used(metering.Priced{Segment: of, On: p}, due, nil)

	require.NoError(t, err)
	require.Len(t, lines, 1)
	require.Equal(t, money.Minor(-70), lines[0].Amount, "of 150")
	require.Equal(t, &invoice.Explanation{
		Steps: []invoice.Step{
			{Kind: "included", Quantity: "5", UnitPrice: "0", Amount: "0"},
			{Kind: "units", Quantity: "5", UnitPrice: "0.1", Amount: "0.5"},
		},
		Before: 200, Limit: &invoice.Limit{Amount: 70, Reason: invoice.LimitBilled},
	}, lines[0].Explanation)
}

// A charge is described as far as the prices of the segment allow.
func TestAbout(t *testing.T) {
	t.Parallel()
	p := usedPlan(t)
	rate := &p.Metered.Components[0].Rates[0]
	rate.Where, rate.By = map[string]string{"tier": "gold"}, []string{"region"}
	fixed := metered.Component{ID: "seats", Fixed: true, Rates: p.Metered.Components[1].Rates}
	p.Metered.Components = append(p.Metered.Components, fixed)
	gold, eu := "gold", "eu"
	dimensions := func(region *string) map[string]*string {
		return map[string]*string{"tier": &gold, "region": region}
	}
	for name, c := range map[string]struct {
		id     string
		lot    metered.Lot
		metric string
		want   map[string]*string
	}{
		"a value":                   {"calls", metered.Lot{By: `["eu"]`}, "calls", dimensions(&eu)},
		"an absent value":           {"calls", metered.Lot{By: `[null]`}, "calls", dimensions(nil)},
		"more values than the rate": {"calls", metered.Lot{By: `["eu","x"]`}, "calls", dimensions(&eu)},
		"no dimensions":             {"storage", metered.Lot{}, "storage", map[string]*string{}},
		"a rate that is gone":       {"calls", metered.Lot{Rate: 1}, "calls", nil},
		"no rate":                   {"calls", metered.Lot{Rate: -1}, "calls", nil},
		"a price in arrears":        {"seats", metered.Lot{}, "", nil},
		"a price that is gone":      {"gone", metered.Lot{}, "", nil},
	} {
		metric, got := about(p.Metered, metered.Key{PriceID: c.id, Lot: c.lot})
		require.Equal(t, c.metric, metric, name)
		require.Equal(t, c.want, got, name)
	}
}

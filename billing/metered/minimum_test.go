package metered_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/proration"
)

// A minimum needs no other price; a commitment does.
func TestPrices_CheckMinimum(t *testing.T) {
	t.Parallel()
	priced := []metered.Component{calls(metered.Rate{Price: perUnit})}
	least := func(amount money.Minor) *metered.Minimum { return &metered.Minimum{Amount: amount} }
	commitment := &metered.Commitment{Amount: 1}
	for name, c := range map[string]struct {
		of          metered.Prices
		code, param string
	}{
		"alone":                   {of: metered.Prices{Minimum: least(1)}},
		"the largest":             {of: metered.Prices{Minimum: least(money.MaxMinor)}},
		"beside prices":           {of: metered.Prices{Components: priced, Minimum: least(1)}},
		"beside a commitment too": {of: metered.Prices{Components: priced, Minimum: least(1), Commitment: commitment}},
		"a commitment to nothing": {
			metered.Prices{Minimum: least(1), Commitment: commitment}, "metered_prices_out_of_range", "meteredPrices",
		},
		"0":         {metered.Prices{Minimum: least(0)}, "plan_minimum_invalid", "minimum.amount"},
		"below 0":   {metered.Prices{Minimum: least(-1)}, "plan_minimum_invalid", "minimum.amount"},
		"too large": {metered.Prices{Minimum: least(money.MaxMinor + 1)}, "amount_too_large", "minimum.amount"},
	} {
		require.Equal(t, [2]string{c.code, c.param}, refusal(c.of.Check()), name)
	}
}

func TestPrices_SameMinimum(t *testing.T) {
	t.Parallel()
	made := func(change func(*metered.Minimum)) *metered.Prices {
		m := metered.Minimum{
			ID: "price_1", Amount: 900, Advance: 500, Currencies: map[money.Currency]money.Minor{"USD": 1000},
		}
		change(&m)
		return &metered.Prices{Minimum: &m}
	}
	as := made(func(*metered.Minimum) {})
	for name, c := range map[string]struct {
		other *metered.Prices
		same  bool
	}{
		"equal":                {made(func(*metered.Minimum) {}), true},
		"another id":           {made(func(m *metered.Minimum) { m.ID = "price_2" }), true},
		"another amount":       {made(func(m *metered.Minimum) { m.Amount++ }), false},
		"another advance":      {made(func(m *metered.Minimum) { m.Advance++ }), false},
		"another of a further": {made(func(m *metered.Minimum) { m.Currencies["USD"]++ }), false},
		"none further":         {made(func(m *metered.Minimum) { m.Currencies = nil }), false},
		"another amount, and none further": {made(func(m *metered.Minimum) {
			m.Amount, m.Currencies = 1, nil
		}), false},
		"none":      {&metered.Prices{}, false},
		"no prices": {nil, false},
	} {
		require.Equal(t, c.same, as.SameMinimum(c.other), name)
		require.Equal(t, c.same, c.other.SameMinimum(as), name)
	}
	var none *metered.Prices
	require.True(t, none.SameMinimum(&metered.Prices{}))
}

// The minimum of a period adds its rest after the prices in advance and the usage: 2.00 of 10.00, with 5.00 in advance
// and 150 units of 0.02. A part of the period has its share of the minimum and of the advance.
func TestOwed_MinimumOfAPeriod(t *testing.T) {
	t.Parallel()
	half := metered.Share{Span: proration.Span{From: 0, To: 15, Length: 30}}
	for name, c := range map[string]struct {
		units int64
		share metered.Share
		want  money.Minor
	}{
		"no usage":             {0, metered.Share{}, 500},
		"some":                 {150, metered.Share{}, 200},
		"just the minimum":     {250, metered.Share{}, 0},
		"more":                 {900, metered.Share{}, 0},
		"half of the period":   {75, half, 100}, // 5.00 less 2.50 and 1.50
		"half, with the usage": {150, half, 0},  // 5.00 less 2.50 and 3.00
	} {
		segment := whole(component(perUnit), c.units)
		segment.Share, segment.Minimum = c.share, &metered.Minimum{ID: "price_2", Amount: 1000, Advance: 500}
		owed, err := metered.Owed([]metered.Segment{segment}, eur)
		require.NoError(t, err, name)
		require.Len(t, owed, 2, name)
		raised := owed[1]
		require.Equal(t, metered.Key{PriceID: "price_2", Segment: start.UnixMicro()}, raised.Key, name)
		require.Equal(t, c.want, raised.Amount, name)
		if c.want == 0 {
			require.Empty(t, raised.Steps, name)
			continue
		}
		require.Len(t, raised.Steps, 1, name)
		require.Equal(t, money.Units(c.want, eur), raised.Steps[0].Amount, name)
	}
}

// A commitment is for the usage of the plan: 4.00 of 10.00 are left, whatever seats and add-ons cost.
func TestOwed_CommitmentOfThePlanAlone(t *testing.T) {
	t.Parallel()
	segment := whole(component(perUnit), 300)
	segment.Commitment = &metered.Commitment{ID: "price_9", Amount: 1000}
	for _, change := range []func(*metered.Component){
		func(c *metered.Component) { c.AddOn = true },
		func(c *metered.Component) { c.Fixed = true },
		func(c *metered.Component) { c.AddOn, c.Fixed = true, true },
	} {
		used := whole(component(perUnit), 500).Usage[0]
		change(&used.Component)
		segment.Usage = append(segment.Usage, used)
	}
	owed, err := metered.Owed([]metered.Segment{segment}, eur)
	require.Equal(t, money.Minor(600+3*1000+400), total(t, owed, err))
}

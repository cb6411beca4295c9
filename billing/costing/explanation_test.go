package costing

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/internal/anyprice"
	"perennial/billing/internal/recount"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/subscription"
)

var (
	november = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	monthly  = period.Interval{Unit: period.Month, Count: 1}
)

// seats is a graduated price: five seats at 500 each, and 400 for each further one, with a flat amount for those.
func seats() rating.Price {
	return rating.Price{Model: rating.Graduated, Included: money.Whole(1), Tiers: []rating.Tier{
		{UpTo: money.Whole(5), UnitPrice: money.Whole(5)}, {UnitPrice: money.Whole(4), FlatAmount: 100},
	}}
}

// priced is a plan with one price.
func priced(id string, price rating.Price, c money.Currency) plan.Plan {
	return plan.Plan{
		ID: "plan_" + id, Version: 1, Name: "Team", Currency: c, Interval: monthly, Active: true,
		Prices: []plan.Price{{ID: "price_" + id, Price: price}},
	}
}

// opened is a subscription in its first period, November, and the facts about it.
func opened(of plan.Plan, quantity int64, measure proration.Measure) Period {
	s := Period{
		subscription.Subscription{
			ID: "sub_1", Status: subscription.Active, Currency: of.Currency, Quantity: quantity, Interval: monthly,
			AnchorAt: november, TimeZone: "Europe/Paris", PeriodIndex: 1, RenewedIndex: 1, ProrationMeasure: measure,
			CurrentPeriod: period.Period{Start: november, End: november.AddDate(0, 1, 0)},
		},
		Facts{Plan: of, ItemID: func(priceID string) string { return "si_" + priceID }},
	}
	s.SetPlan(of.Ref())
	s.Subscription = s.Itemized()
	return s
}

// paid adds a paid invoice with lines, which get ids.
func (s *Period) paid(lines []invoice.Line) {
	lines = slices.Clone(lines)
	n := len(s.Facts.Paid) + 1
	for i := range lines {
		lines[i].ID = fmt.Sprintf("il_%d_%d", n, i)
	}
	inv := invoice.Invoice{Number: int64(n), Status: invoice.Paid, PeriodIndex: s.PeriodIndex, Lines: lines}
	for _, l := range lines {
		inv.Total += l.Net()
	}
	inv.AmountPaid = max(inv.Total, 0)
	s.Facts.Paid = append(s.Facts.Paid, inv)
}

func TestExplanation_OfAGraduatedPrice(t *testing.T) {
	t.Parallel()
	team := priced("a", seats(), "EUR")
	s := opened(team, 8, proration.Day)
	lines, err := s.WholePeriod(s.Items, team)
	require.NoError(t, err)
	require.Len(t, lines, 1)
	steps := []invoice.Step{
		{Kind: rating.Included, Quantity: "1", UnitPrice: "0", Amount: "0"},
		{Kind: rating.Units, Tier: 1, Quantity: "5", UnitPrice: "5", Amount: "25"},
		{Kind: rating.Units, Tier: 2, Quantity: "2", UnitPrice: "4", Amount: "8"},
		{Kind: rating.Fixed, Tier: 2, Quantity: "1", UnitPrice: "1", Amount: "1"},
	}
	require.Equal(t, money.Minor(3400), lines[0].Amount)
	require.Equal(t, &invoice.Explanation{Steps: steps}, lines[0].Explanation)

	s.paid(lines)
	noon := november.AddDate(0, 0, 10).Add(12 * time.Hour)
	rest, err := s.Rest(noon)
	require.NoError(t, err)
	left, err := s.UnusedTime(s.Items, rest, noon)
	require.NoError(t, err)
	part := &invoice.Part{Of: invoice.DividedPeriod, Whole: 3400, Measure: proration.Day, From: 10, To: 30, Length: 30}
	require.Equal(t, &invoice.Explanation{Steps: steps, Part: part}, left.Lines[0].Explanation)
	require.Equal(t, "il_1_0", left.Lines[0].Reverses)

	s.Facts.Paid[0].Lines[0].Credited = 2000
	left, err = s.UnusedTime(s.Items, rest, noon)
	require.NoError(t, err)
	require.Equal(t, money.Minor(-1400), left.Lines[0].Amount)
	require.Equal(t, &invoice.Limit{Amount: 1400, Reason: invoice.LimitBilled}, left.Lines[0].Explanation.Limit)

	s.Facts.Paid[0].Lines[0].Credited, s.Facts.GivenBack = 0, 3000
	left, err = s.UnusedTime(s.Items, rest, noon)
	require.NoError(t, err)
	require.Equal(t, money.Minor(-400), left.Lines[0].Amount)
	require.Equal(t, &invoice.Limit{Amount: 400, Reason: invoice.LimitReturned}, left.Lines[0].Explanation.Limit)
}

// A line whose amount is quantity × unit price says nothing more.
func TestExplanation_OfASimplePrice(t *testing.T) {
	t.Parallel()
	for _, price := range []rating.Price{
		{Model: rating.Flat, Amount: 1900},
		{Model: rating.PerUnit, UnitPrice: money.Whole(19)},
		{Model: rating.Volume, Tiers: []rating.Tier{{UnitPrice: money.Whole(2)}}},
	} {
		of := priced("a", price, "EUR")
		s := opened(of, 8, proration.Second)
		lines, err := s.WholePeriod(s.Items, of)
		require.NoError(t, err)
		require.Nil(t, lines[0].Explanation, price.Model)
		lines, err = s.RestOfPeriod(s.Items, of, november.AddDate(0, 0, 15))
		require.NoError(t, err)
		require.NotNil(t, lines[0].Explanation, price.Model)
	}
}

// Where a closing gives back money alone, its lines of nothing say why they are nothing: the price is free, or the time
// is not billed.
func TestExplanation_OfLinesOfNothing(t *testing.T) {
	t.Parallel()
	for whole, limit := range map[money.Minor]*invoice.Limit{
		0: nil, 3000: {Amount: 0, Reason: invoice.LimitBilled},
	} {
		of := priced("a", rating.Price{Model: rating.Flat, Amount: whole}, "EUR")
		s := opened(of, 1, proration.Day)
		s.Facts.Paid = []invoice.Invoice{{Status: invoice.Paid, PeriodIndex: 1, AmountPaid: 500}}
		closing, err := s.Closing(november.AddDate(0, 0, 10))
		require.NoError(t, err)
		require.Len(t, closing, 1)
		require.Equal(t, money.Minor(500), closing[0].Refund)
		line := closing[0].Lines[0]
		require.NoError(t, recount.Line(line, invoice.Line{}, "EUR"))
		require.Equal(t, whole, line.Explanation.Part.Whole)
		require.Equal(t, limit, line.Explanation.Limit)
	}
}

// After a change without proration the prices of the billed lines are not known: the credit is a part of the line.
func TestExplanation_OfALineThatIsDivided(t *testing.T) {
	t.Parallel()
	team := priced("a", seats(), "EUR")
	s := opened(team, 8, proration.Day)
	lines, err := s.RestOfPeriod(s.Items, team, november.AddDate(0, 0, 10))
	require.NoError(t, err)
	s.paid(lines)
	s.UnproratedIndex = 1
	at := november.AddDate(0, 0, 25)
	rest, err := s.Rest(at)
	require.NoError(t, err)
	left, err := s.UnusedTime(s.Items, rest, at)
	require.NoError(t, err)
	part := &invoice.Part{
		Of: invoice.DividedLine, Whole: lines[0].Amount, Measure: proration.Day, From: 15, To: 20, Length: 20,
	}
	require.Equal(t, &invoice.Explanation{Part: part}, left.Lines[0].Explanation)
}

// TestExplanation_LeadsToTheAmount: whatever is changed in a period, at any price, the amount of each line that bills
// it or credits time can be calculated from its explanation.
func TestExplanation_LeadsToTheAmount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom([]money.Currency{"EUR", "XAF", "BHD"}).Draw(t, "currency")
		measure := rapid.SampledFrom([]proration.Measure{
			"", proration.Second, proration.Day, proration.DayInclusive, proration.Fixed30,
		}).Draw(t, "measure")
		plans := []plan.Plan{
			priced("a", anyprice.Price().Draw(t, "price"), c), priced("b", anyprice.Price().Draw(t, "another price"), c),
		}
		plans[0].Prices = append(plans[0].Prices, plan.Price{ID: "price_once", Once: true, Price: plans[1].Prices[0].Price})
		s := opened(plans[0], rapid.Int64Range(1, 90).Draw(t, "quantity"), measure)
		if rapid.IntRange(0, 3).Draw(t, "short first period") == 0 {
			s.CurrentPeriod.Start, s.CurrentPeriod.End = november.AddDate(0, 0, -9), november
		}
		lines, err := s.Opened(plans[0], true, nil)
		if err != nil {
			return // too much for an invoice
		}
		s.recounted(t, lines)
		s.paid(lines)
		at := s.CurrentPeriod.Start
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			if at = at.Add(time.Duration(rapid.IntRange(0, 9*86400).Draw(t, "seconds")) * time.Second); !s.CurrentPeriod.Contains(at) {
				break
			}
			if lines, err = s.changed(t, plans[rapid.IntRange(0, 1).Draw(t, "to")], at); err != nil {
				return
			}
			s.recounted(t, lines)
			s.paid(lines)
			s.somethingBack(t)
		}
		closing, err := s.Closing(at)
		if err == nil && len(closing) > 0 {
			s.recounted(t, closing[0].Lines)
		}
	})
}

// changed puts the subscription on a plan with another quantity, and returns the lines of its invoice.
func (s *Period) changed(t *rapid.T, to plan.Plan, at time.Time) ([]invoice.Line, error) {
	rest, err := s.Rest(at)
	require.NoError(t, err)
	left, err := s.UnusedTime(s.Items, rest, at)
	if err != nil {
		return nil, err
	}
	s.Quantity, s.Facts.Plan = rapid.Int64Range(1, 90).Draw(t, "to quantity"), to
	s.Items, s.UnproratedIndex = s.ItemsOn(to), 0
	charges, err := s.RestOfPeriod(s.Items, to, at)
	return append(left.Lines, charges...), err
}

// somethingBack lets a credit note or a refund give something back, or the plan change without proration.
func (s *Period) somethingBack(t *rapid.T) {
	switch last := &s.Facts.Paid[len(s.Facts.Paid)-1]; rapid.IntRange(0, 5).Draw(t, "meanwhile") {
	case 0:
		for i := range last.Lines {
			if l := &last.Lines[i]; l.Amount > 0 {
				l.Credited = money.Minor(rapid.Int64Range(0, int64(l.Amount)).Draw(t, "credited"))
				last.Credited.Total += l.Credited
			}
		}
	case 1:
		s.Facts.GivenBack = money.Minor(rapid.Int64Range(0, int64(last.AmountPaid)).Draw(t, "refunded"))
	case 2:
		s.UnproratedIndex = s.PeriodIndex
	}
}

// recounted calculates each of some lines anew.
func (s *Period) recounted(t *rapid.T, lines []invoice.Line) {
	for _, l := range lines {
		var of invoice.Line
		for _, inv := range s.Facts.Paid {
			for _, billed := range inv.Lines {
				if billed.ID == l.Reverses {
					of = billed
				}
			}
		}
		require.NoError(t, recount.Line(l, of, s.Currency), "%+v, by %+v", l, l.Explanation)
	}
}

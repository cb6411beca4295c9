package costing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

// twoRates are the standard rate and the reduced rate for books.
func twoRates() tax.Held {
	return tax.Held{
		{Rate: tax.Rate{ID: "standard", Name: "VAT", Percent: money.Whole(19)}},
		{Rate: tax.Rate{ID: "reduced", Name: "VAT", Percent: money.Whole(7)}, Category: "books"},
	}
}

// beside adds an add-on to the subscription.
func (s *Period) beside(addOn plan.Plan) {
	addOn.AddOn = true
	s.AddOns = append(s.AddOns, subscription.AddOn{Ref: addOn.Ref(), Quantity: 1})
	s.Facts.AddOns = append(s.Facts.AddOns, addOn)
	s.Subscription = s.Itemized()
}

// taxes returns the categories and the rates of lines by what they bill.
func taxes(lines []invoice.Line) map[string][2]string {
	all := map[string][2]string{}
	for _, l := range lines {
		of := [2]string{string(l.TaxCategory)}
		for _, r := range l.Rates {
			of[1] += r.ID
		}
		all[string(l.Kind)+" "+l.PriceID] = of
	}
	return all
}

// Each line is taxed by the category of the plan or the add-on with its price, also the rest of a period and a fee.
func TestOpened_TaxesByCategory(t *testing.T) {
	t.Parallel()
	books := withFee(flat("book", 2000), 500)
	books.TaxCategory = "books"
	s := opened(books, 1, "")
	s.Facts.Rates = twoRates()
	s.beside(flat("support", 900))

	lines, err := s.Opened(books, true, nil)

	require.NoError(t, err)
	require.Equal(t, map[string][2]string{
		"recurring price_book": {"books", "reduced"}, "one_off price_fee": {"books", "reduced"},
		"recurring price_support": {"", "standard"},
	}, taxes(lines))
	rest, err := s.RestOfPeriod(s.Items, books, november.AddDate(0, 0, 15))
	require.NoError(t, err)
	require.Equal(t, map[string][2]string{
		"proration_charge price_book": {"books", "reduced"}, "proration_charge price_support": {"", "standard"},
	}, taxes(rest))
	sums, err := invoice.Draft{Lines: lines}.Sums()
	require.NoError(t, err)
	require.Equal(t, money.Minor(175+171), sums.Tax) // 7 % of 25.00, and 19 % of 9.00
}

// Unused time is credited with its billed tax, whatever the product's present category; new lines have the new
// category.
func TestUnusedTime_HasTheCategoryOfWhatItTakesBack(t *testing.T) {
	t.Parallel()
	p := flat("book", 2000)
	s := opened(p, 1, "")
	s.Facts.Rates = twoRates()
	billed, err := s.Opened(p, true, nil)
	require.NoError(t, err)
	s.paid(billed)
	s.Facts.Paid[0].Total, s.Facts.Paid[0].Tax = 2380, 380
	s.Facts.Plan.TaxCategory = "books"

	half := november.AddDate(0, 0, 15)
	left, err := s.Unused(half)
	require.NoError(t, err)
	unused, err := s.UnusedTime(s.Items, left, half)
	require.NoError(t, err)

	require.Equal(t, map[string][2]string{"proration_credit price_book": {"", "standard"}}, taxes(unused.Lines))
	rest, err := s.RestOfPeriod(s.Items, s.Facts.Plan, half)
	require.NoError(t, err)
	require.Equal(t, map[string][2]string{"proration_charge price_book": {"books", "reduced"}}, taxes(rest))
	sums, err := invoice.Draft{Lines: append(unused.Lines, rest...), Creditable: unused.Creditable}.Sums()
	require.NoError(t, err)
	require.Equal(t, money.Minor(-190+70), sums.Tax)
}

// Usage and the rest of a commitment are taxed by the category of the plan with their prices.
func TestUsed_TaxesByCategory(t *testing.T) {
	t.Parallel()
	p := usedPlan(t)
	p.TaxCategory = "books"
	s := opened(p, 1, "")
	s.Facts.Rates = twoRates()
	of := segmentOf(t, s, p)

	lines, err := s.Used(metering.Priced{Segment: of, On: p}, rate(t, p, of, 101, 25, nil), nil)

	require.NoError(t, err)
	require.Equal(t, map[string][2]string{
		"usage calls": {"books", "reduced"}, "usage storage": {"books", "reduced"}, "usage commitment": {"books", "reduced"},
	}, taxes(lines))
	addOn := usedPlan(t)
	addOn.ID, addOn.Metered.Commitment = "plan_add_on", nil
	standard, none := metering.Priced{Segment: of, On: flat("none", 1), AddOns: []plan.Plan{addOn}}, of
	none.AddOns = subscription.AddOns{{Ref: addOn.Ref(), Quantity: 1}}
	standard.Segment = none
	lines, err = s.Used(standard, rate(t, addOn, of, 101, 25, nil), nil)
	require.NoError(t, err)
	require.Equal(t, map[string][2]string{"usage calls": {"", "standard"}, "usage storage": {"", "standard"}}, taxes(lines))
}

// A correction refunds the charged tax, whatever the present category, rates, exemption or plan. Those apply to
// additional charges.
func TestUsed_CorrectionsHaveTheTaxesOfWhatTheyCorrect(t *testing.T) {
	t.Parallel()
	p := usedPlan(t)
	s := opened(p, 1, "")
	s.Facts.Rates = twoRates()
	of := segmentOf(t, s, p)
	p.TaxCategory = "books"
	billed, err := s.Used(metering.Priced{Segment: of, On: p}, rate(t, p, of, 101, 25, nil), nil)
	require.NoError(t, err)
	p.TaxCategory, p.ID = "", "plan_of_now"
	corrects := map[string]invoice.Line{}
	for _, line := range billed {
		corrects[line.PriceID] = line
	}
	less, more := rate(t, p, of, 101, 25, nil), rate(t, p, of, 101, 25, nil)
	for i := range less {
		less[i].Amount, less[i].Before = -less[i].Amount, less[i].Amount
	}

	lines, err := s.Used(metering.Priced{Segment: of, On: p}, less, corrects)

	require.NoError(t, err)
	require.Len(t, lines, len(billed))
	for i, line := range lines {
		require.Equal(t, -billed[i].Net(), line.Net())
		require.Equal(t, [3]any{billed[i].TaxCategory, billed[i].Rates, billed[i].PlanID},
			[3]any{line.TaxCategory, line.Rates, line.PlanID})
	}
	lines, err = s.Used(metering.Priced{Segment: of, On: p}, more, corrects)
	require.NoError(t, err)
	for _, line := range lines {
		require.Equal(t, [2]any{"plan_of_now", s.Facts.Rates.For("")}, [2]any{line.PlanID, line.Rates})
	}
}

package costing

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/rating"
	"perennial/billing/subscription"
)

// MaxUsageLines bounds the lines of one price in a segment, by rates and values of dimensions: the largest have one
// each, and one line has the others. The invoice keeps the cost of each.
const MaxUsageLines = 200

// Used returns a line for the cost of each key of a segment, less the percentages of the coupons that it had. A coupon
// of an amount reduces lines that are billed in advance. corrects are earlier lines of the segment by price: a charge
// below zero corrects them, with their taxes and their plan's coupons. Fault: amount_too_large.
func (s Period) Used(
	of metering.Priced, charges []metered.Charge, corrects map[string]invoice.Line,
) ([]invoice.Line, error) {
	s = s.during(of.Segment)
	prices := of.Prices()
	var lines []invoice.Line
	for _, c := range charges {
		if c.Amount == 0 {
			continue // units that cost nothing, which no line explains
		}
		line, err := s.used(of, prices, c, corrects)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return few(of, prices, lines), nil
}

// during returns the period as it was in a segment, with the coupons that reduce usage.
func (s Period) during(of metering.Segment) Period {
	s.PeriodIndex = of.PeriodIndex
	s.Discounts = slices.DeleteFunc(slices.Clone(of.Discounts), func(d subscription.Discount) bool {
		return !d.Percent.IsGiven()
	})
	return s
}

// used is the line of one key of a segment with these prices. Fault: amount_too_large.
func (s Period) used(
	of metering.Priced, prices *metered.Prices, c metered.Charge, corrects map[string]invoice.Line,
) (line invoice.Line, err error) {
	holder := of.Holder(c.PriceID)
	line = invoice.Line{
		Kind: invoice.Metered, Description: describe(of, prices, c), PlanID: holder.ID, PriceID: c.PriceID,
		PeriodIndex: of.PeriodIndex, Quantity: c.Quantity.String(), Amount: c.Amount,
		TaxCategory: holder.TaxCategory, Rates: s.Facts.Rates.For(holder.TaxCategory),
		Period: period.Period{Start: of.Start, End: of.End},
	}
	if billed, known := corrects[c.PriceID]; known && c.Amount < 0 {
		line.PlanID, line.TaxCategory, line.Rates = billed.PlanID, billed.TaxCategory, billed.Rates
	}
	if price, simple := unitPrice(c); simple {
		line.UnitPrice = price.String()
	} else {
		line.Explanation = &invoice.Explanation{Steps: invoice.StepsOf(s.steps(c)), Before: c.Before}
		if c.Whole != 0 {
			line.Explanation.Part = &invoice.Part{
				Of: invoice.DividedPeriod, Whole: c.Whole, Measure: of.Measure,
				From: of.Share.From, To: of.Share.To, Length: of.Share.Length,
			}
		}
	}
	// An amount that a commitment adds has no steps of its own: its only step shows it whole, so that it needs no
	// limit.
	if c.Limited && len(c.Steps) > 0 && line.Explanation != nil {
		line.Explanation.Limit = &invoice.Limit{Amount: -c.Amount, Reason: invoice.LimitBilled}
	}
	line.Discounts, err = s.reduced(line, c.Before)
	return line, err
}

// few leaves each price the largest MaxUsageLines of its lines, and makes one of the others.
func few(of metering.Priced, prices *metered.Prices, lines []invoice.Line) []invoice.Line {
	kept, others := largest(lines)
	few := make([]invoice.Line, 0, len(kept)+len(others))
	for _, i := range kept {
		few = append(few, lines[i])
	}
	for _, places := range others {
		few = append(few, together(of, prices, lines, places))
	}
	return few
}

// largest returns the indexes of the lines that each price keeps, in their order, and, for each price that has more,
// those of the others.
func largest(lines []invoice.Line) (kept []int, others [][]int) {
	of := map[string][]int{}
	for i, l := range lines {
		of[l.PriceID] = append(of[l.PriceID], i)
	}
	for _, price := range slices.Sorted(maps.Keys(of)) {
		places := of[price]
		if len(places) > MaxUsageLines {
			slices.SortStableFunc(places, func(a, b int) int {
				return cmp.Compare(max(lines[b].Amount, -lines[b].Amount), max(lines[a].Amount, -lines[a].Amount))
			})
			others, places = append(others, places[MaxUsageLines:]), places[:MaxUsageLines]
		}
		kept = append(kept, places...)
	}
	slices.Sort(kept)
	return kept, others
}

// together is one line for those at some places, which are of one price. How each amount comes about is left out.
func together(of metering.Priced, prices *metered.Prices, lines []invoice.Line, places []int) invoice.Line {
	sum := lines[places[0]]
	sum.Description = usageTitle(of, prices, sum.PriceID) + " (" + strconv.Itoa(len(places)) + " others)"
	sum.Amount, sum.UnitPrice, sum.Discounts = 0, "", nil
	quantity := money.Whole(0)
	for _, i := range places {
		units, _ := money.ParseDecimal(lines[i].Quantity) // it was formatted from a decimal
		quantity, sum.Amount = quantity.Add(units), sum.Amount+lines[i].Amount
		for _, d := range lines[i].Discounts {
			sum.Discounts = sum.Discounts.Plus(d)
		}
	}
	sum.Quantity, sum.Explanation = quantity.String(), nil
	return sum
}

// usageTitle names a price of a segment, or the commitment to its plan.
func usageTitle(of metering.Priced, prices *metered.Prices, priceID string) string {
	holder, title := of.Holder(priceID), "Commitment"
	if prices != nil && prices.Minimum != nil && prices.Minimum.ID == priceID {
		title = "Minimum"
	}
	if c, known := prices.Component(priceID); known {
		title = c.Title()
	}
	if title == "" {
		return holder.Name
	}
	return holder.Titled(title)
}

// reduced returns the discounts of percentages on a line of usage: on the whole amount of its key, less those on the
// amounts that were billed before. So a correction gives back the amount that was charged, however the whole was
// divided among invoices.
func (s Period) reduced(line invoice.Line, before money.Minor) (invoice.Shares, error) {
	all, err := s.Discounted(nil, []invoice.Line{{PlanID: line.PlanID, Amount: before + line.Amount}})
	if err != nil {
		return nil, err
	}
	billed, err := s.Discounted(nil, []invoice.Line{{PlanID: line.PlanID, Amount: before}})
	if err != nil {
		return nil, err
	}
	var shares invoice.Shares
	for _, d := range s.Discounts {
		share := invoice.Share{CouponID: d.CouponID, Code: d.Code}
		share.Amount = all[0].Discounts.Of(d.CouponID) - billed[0].Discounts.Of(d.CouponID)
		if share.Amount != 0 {
			shares = append(shares, share)
		}
	}
	return shares, nil
}

// unitPrice returns what each unit of a charge costs, where that explains the whole amount.
func unitPrice(c metered.Charge) (price money.Decimal, simple bool) {
	if len(c.Steps) != 1 || c.Before != 0 || c.Whole != 0 {
		return price, false
	}
	only := c.Steps[0]
	simple = only.Kind == rating.Units || only.Kind == rating.Fixed
	return only.UnitPrice, simple && only.Tier == 0 && only.Quantity.Cmp(c.Quantity) == 0
}

// steps returns the steps of a charge; the amount that a commitment adds has none of its own.
func (s Period) steps(c metered.Charge) []rating.Step {
	whole := money.Units(c.Before+c.Amount, s.Currency)
	if len(c.Steps) > 0 || whole.Sign() == 0 {
		return c.Steps
	}
	return []rating.Step{{Kind: rating.Fixed, Quantity: money.Whole(1), UnitPrice: whole, Amount: whole}}
}

// describe names the component of a charge and its values of dimensions.
func describe(of metering.Priced, prices *metered.Prices, c metered.Charge) string {
	what := usageTitle(of, prices, c.PriceID)
	var values []string
	for _, v := range c.Lot.By.Values() {
		if v != nil {
			values = append(values, *v)
		}
	}
	if len(values) > 0 {
		what += " (" + strings.Join(values, ", ") + ")"
	}
	if c.Amount < 0 {
		what = "Correction of " + what
	}
	return what
}

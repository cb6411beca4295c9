package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
)

// DescribeAll returns a line for each price of a plan in each currency that the plan is sold in, for a person who
// compares two versions.
func DescribeAll(p plan.Plan) []string {
	var lines []string
	for _, c := range p.Currencies() {
		for _, price := range p.InIfOffered(c).Prices {
			line := describe(price, c)
			if c != p.Currency {
				line += " in " + string(c)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// DescribeMetered has a line for each rate of a metered price, and each currency that the plan is sold in.
func DescribeMetered(p plan.Plan) (lines []string) {
	for _, c := range p.Currencies() {
		for _, line := range describeMetered(p.InIfOffered(c).Metered, c) {
			if c != p.Currency {
				line += " in " + string(c)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func describeMetered(p *metered.Prices, c money.Currency) (lines []string) {
	if p == nil {
		return nil
	}
	for _, one := range p.Components {
		for _, rate := range one.Rates {
			line := describe(plan.Price{Name: cmp.Or(one.Name, one.MetricName), Price: rate.Price}, c)
			for _, name := range slices.Sorted(maps.Keys(rate.Where)) {
				line += fmt.Sprintf(", where %s is %s", name, rate.Where[name])
			}
			if len(rate.By) > 0 {
				line += ", by " + strings.Join(rate.By, " and ")
			}
			if one.Cumulated {
				line += ", cumulated"
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// DescribeCommitment writes the commitment to metered prices, in each currency that the plan is sold in; none: there is
// none.
func DescribeCommitment(p plan.Plan) string {
	if p.Metered == nil || p.Metered.Commitment == nil {
		return "none"
	}
	commitment := *p.Metered.Commitment
	text := describeAmounts(commitment.Amount, commitment.Currencies, p.Currency)
	if factor := commitment.OverageFactor; factor.IsGiven() {
		text += ", beyond it times " + factor.String()
	}
	return text
}

// DescribeThresholds writes the thresholds of usage in one line; none: there are none.
func DescribeThresholds(p *metered.Prices) string {
	if p == nil || len(p.Thresholds) == 0 {
		return "none"
	}
	texts := make([]string, len(p.Thresholds))
	for i, t := range p.Thresholds {
		if texts[i] = t.Key(); t.Invoice {
			texts[i] += " with an invoice"
		}
	}
	return strings.Join(texts, ", ")
}

// DescribeMinimum writes the least that a period costs, in each currency that the plan is sold in; none: there is none.
func DescribeMinimum(p plan.Plan) string {
	if p.Metered == nil || p.Metered.Minimum == nil {
		return "none"
	}
	return describeAmounts(p.Metered.Minimum.Amount, p.Metered.Minimum.Currencies, p.Currency)
}

func describeAmounts(own money.Minor, others map[money.Currency]money.Minor, c money.Currency) string {
	text := money.FormatUnits(own, c)
	for _, other := range slices.Sorted(maps.Keys(others)) {
		text += ", " + money.FormatUnits(others[other], other) + " in " + string(other)
	}
	return text
}

// DescribeFeatures writes features in one line; none: there are none.
func DescribeFeatures(all plan.Features) string {
	if len(all) == 0 {
		return "none"
	}
	texts := make([]string, len(all))
	for i, f := range all {
		texts[i] = f.Key
		if f.Limit != nil {
			texts[i] += fmt.Sprintf(" %d", *f.Limit)
		}
		if f.PerUnit {
			texts[i] += " per unit"
		}
		if f.MetricName != "" {
			texts[i] += " of " + f.MetricName
		}
		if f.SoftLimit {
			texts[i] += " (soft)"
		}
	}
	return strings.Join(texts, ", ")
}

func describe(p plan.Price, c money.Currency) string {
	text := string(p.Model)
	switch p.Model {
	case rating.Flat:
		text += " " + money.FormatUnits(p.Amount, c)
	case rating.PerUnit:
		text += " " + p.UnitPrice.String()
	case rating.Package:
		text += fmt.Sprintf(" %s for %s", p.PackagePrice, p.PackageSize)
	case rating.Percentage:
		text += fmt.Sprintf(" %s %%%s", p.Percent, describeTransactions(p.Transactions))
	default:
		for _, tier := range p.Tiers {
			text += "; " + describeTier(tier, c)
		}
	}
	if p.Included.Sign() > 0 {
		text += fmt.Sprintf(", %s included", p.Included)
	}
	if p.Minimum > 0 {
		text += ", at least " + money.FormatUnits(p.Minimum, c)
	}
	if p.Maximum > 0 {
		text += ", at most " + money.FormatUnits(p.Maximum, c)
	}
	if p.Once {
		text += ", once"
	}
	if p.Arrears {
		text += ", in arrears"
	}
	if p.Name != "" {
		return p.Name + ": " + text
	}
	return text
}

// describeTransactions returns the terms of a percentage for each transaction, in major units.
func describeTransactions(t rating.Transactions) (text string) {
	for _, part := range []struct {
		words string
		of    money.Decimal
	}{
		{", %s for each", t.Fee},
		{", each at least %s", t.Minimum},
		{", each at most %s", t.Maximum},
		{", the first %s free", money.Whole(int64(t.Free))},
		{", the first %s of their sum free", t.FreeAmount},
	} {
		if part.of.Sign() > 0 {
			text += fmt.Sprintf(part.words, part.of)
		}
	}
	return text
}

func describeTier(t rating.Tier, c money.Currency) string {
	var parts []string
	switch {
	case t.PackageSize.IsGiven():
		parts = append(parts, fmt.Sprintf("%s for %s", t.PackagePrice, t.PackageSize))
	case t.UnitPrice.IsGiven():
		parts = append(parts, t.UnitPrice.String()+" each")
	case t.Percent.IsGiven():
		parts = append(parts, t.Percent.String()+" %")
	}
	if t.FlatAmount > 0 || len(parts) == 0 {
		parts = append(parts, money.FormatUnits(t.FlatAmount, c)+" flat")
	}
	bound := "beyond"
	if t.UpTo.IsGiven() {
		bound = "up to " + t.UpTo.String()
	}
	return bound + " " + strings.Join(parts, " + ")
}

// Package anyprice draws prices of all models for property tests.
package anyprice

import (
	"pgregory.net/rapid"

	"perennial/billing/money"
	"perennial/billing/rating"
)

var tenth = money.Whole(10).Hundredth()

// read returns the number as a request has it.
func read(d money.Decimal) money.Decimal {
	read, err := money.ParseDecimal(d.String())
	if err != nil {
		panic(err)
	}
	return read
}

// Decimal draws a number of least to most units of the last decimal place.
func Decimal(least, most int64, decimals int) *rapid.Generator[money.Decimal] {
	return rapid.Custom(func(t *rapid.T) money.Decimal {
		unit := money.Whole(1)
		for range decimals {
			unit = unit.Mul(tenth)
		}
		return read(unit.Mul(money.Whole(rapid.Int64Range(least, most).Draw(t, "number"))))
	})
}

func tiers(t *rapid.T, model rating.Model) []rating.Tier {
	n := rapid.IntRange(1, 6).Draw(t, "tiers")
	drawn, bound := make([]rating.Tier, n), money.Whole(0)
	for i := range drawn {
		if i < n-1 {
			bound = bound.Add(Decimal(1, 400, 1).Draw(t, "tier size"))
			drawn[i].UpTo = read(bound)
		}
		if model == rating.TieredFlat || rapid.Bool().Draw(t, "flat") {
			drawn[i].FlatAmount = money.Minor(rapid.Int64Range(0, 5000).Draw(t, "flat amount"))
		}
		switch {
		case model == rating.TieredFlat:
		case model == rating.GraduatedPercentage:
			drawn[i].Percent = Decimal(0, 10_000, 2).Draw(t, "percent")
		case rapid.Bool().Draw(t, "packages"):
			drawn[i].PackageSize = Decimal(1, 100, 1).Draw(t, "package size")
			drawn[i].PackagePrice = Decimal(0, 9999, 4).Draw(t, "package price")
		default:
			drawn[i].UnitPrice = Decimal(0, 9999, 4).Draw(t, "unit price")
		}
	}
	return drawn
}

// Price draws a valid price of any model.
func Price() *rapid.Generator[rating.Price] {
	return rapid.Custom(func(t *rapid.T) rating.Price {
		p := rating.Price{Model: rapid.SampledFrom(rating.Models()).Draw(t, "model")}
		if p.Model != rating.Flat && rapid.Bool().Draw(t, "bounded") {
			p.Minimum = money.Minor(rapid.Int64Range(0, 10_000).Draw(t, "minimum"))
			p.Maximum = p.Minimum + money.Minor(rapid.Int64Range(1, 10_000).Draw(t, "maximum"))
		}
		switch p.Model {
		case rating.Flat:
			p.Amount = money.Minor(rapid.Int64Range(0, int64(money.MaxMinor)).Draw(t, "amount"))
			return p
		case rating.Percentage:
			p.Percent = Decimal(0, 100_000, 3).Draw(t, "percent")
			p.Transactions = rating.Transactions{
				Fee:        Decimal(0, 9999, 3).Draw(t, "fee"),
				Minimum:    Decimal(0, 999, 3).Draw(t, "least"),
				Maximum:    Decimal(1000, 99_999, 3).Draw(t, "most"),
				Free:       rapid.IntRange(0, 5).Draw(t, "free"),
				FreeAmount: Decimal(0, 999, 1).Draw(t, "free amount"),
			}
			return p
		case rating.PerUnit:
			p.UnitPrice = Decimal(0, 9999, 4).Draw(t, "unit price")
		case rating.Package:
			p.PackageSize = Decimal(1, 100, 1).Draw(t, "package size")
			p.PackagePrice = Decimal(0, 9999, 4).Draw(t, "package price")
		default:
			p.Tiers = tiers(t, p.Model)
		}
		if p.Model != rating.GraduatedPercentage && rapid.Bool().Draw(t, "includes units") {
			p.Included = Decimal(0, 500, 1).Draw(t, "included")
		}
		return p
	})
}

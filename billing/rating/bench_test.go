package rating_test

import (
	"testing"

	"perennial/billing/rating"
)

// BenchmarkRate prices one quantity by each model.
func BenchmarkRate(b *testing.B) {
	tiers := []rating.Tier{
		{UpTo: dec("100"), UnitPrice: dec("0.10")}, {UpTo: dec("1000"), UnitPrice: dec("0.08")}, {UnitPrice: dec("0.055")},
	}
	quantity := dec("1234.5")
	for _, p := range []rating.Price{
		{Model: rating.Flat, Amount: 4900},
		{Model: rating.PerUnit, UnitPrice: dec("12.50")},
		{Model: rating.Graduated, Tiers: tiers},
		{Model: rating.Volume, Tiers: tiers},
		{Model: rating.Package, PackageSize: dec("1000"), PackagePrice: dec("4")},
		{Model: rating.Percentage, Percent: dec("2.9"), Transactions: rating.Transactions{Fee: dec("0.30")}},
	} {
		b.Run(string(p.Model), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Rate(quantity, "EUR"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package totals_test

import (
	"testing"

	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/tax"
	"perennial/billing/totals"
)

// prices are ten of a plan with usage: two flat fees, seats, and tiers, packages and a percentage.
func prices() []rating.Price {
	tiers := []rating.Tier{
		{UpTo: dec("100"), UnitPrice: dec("0.10")}, {UpTo: dec("1000"), UnitPrice: dec("0.08")}, {UnitPrice: dec("0.055")},
	}
	return []rating.Price{
		{Model: rating.Flat, Amount: 4900}, {Model: rating.Flat, Amount: 1000},
		{Model: rating.PerUnit, UnitPrice: dec("12.50"), Included: dec("3")},
		{Model: rating.PerUnit, UnitPrice: dec("0.0035"), Minimum: 100},
		{Model: rating.Graduated, Tiers: tiers}, {Model: rating.Graduated, Tiers: tiers, Maximum: 9000},
		{Model: rating.Volume, Tiers: tiers},
		{Model: rating.Package, PackageSize: dec("1000"), PackagePrice: dec("4")},
		{Model: rating.TieredFlat, Tiers: []rating.Tier{{UpTo: dec("10"), FlatAmount: 500}, {FlatAmount: 2000}}},
		{Model: rating.Percentage, Percent: dec("2.9"), Transactions: rating.Transactions{Fee: dec("0.30")}},
	}
}

// BenchmarkInvoice rates ten lines, takes a coupon off them, adds one tax to all and another to half of them, and uses
// credit: what issue 10 wants 20,000 times a second of one processor.
func BenchmarkInvoice(b *testing.B) {
	list, quantity := prices(), dec("1234.5")
	coupons := []totals.Discount{percentOff("10")}
	rates := []tax.Rate{{Percent: dec("19")}, {Percent: dec("2.5")}}
	both, one := []int{0, 1}, []int{0}
	b.ReportAllocs()
	for b.Loop() {
		d := totals.Draft{Lines: make([]totals.Line, len(list)), Discounts: coupons, Rates: rates, Credit: 500}
		for i, price := range list {
			rated, err := price.Rate(quantity, "EUR")
			if err != nil {
				b.Fatal(err)
			}
			d.Lines[i] = totals.Line{Amount: rated.Amount, Rates: one}
			if i%2 == 0 {
				d.Lines[i].Rates = both
			}
		}
		if _, err := totals.Of(d); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "invoices/s")
}

// BenchmarkTotals is the arithmetic without rating, of ten flat lines with one tax: the usual invoice.
func BenchmarkTotals(b *testing.B) {
	rates, one := []tax.Rate{{Percent: dec("19")}}, []int{0}
	d := totals.Draft{Rates: rates}
	for i := range 10 {
		d.Lines = append(d.Lines, totals.Line{Amount: money.Minor(999 + i), Rates: one})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := totals.Of(d); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "invoices/s")
}

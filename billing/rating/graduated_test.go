package rating_test

import (
	"testing"

	"perennial/billing/rating"
)

func TestGraduated(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.Graduated, Tiers: []rating.Tier{
		{UpTo: dec("10"), UnitPrice: dec("5"), FlatAmount: 1000},
		{UpTo: dec("20.5"), UnitPrice: dec("4")},
		{UnitPrice: dec("3"), FlatAmount: 500},
	}},
		example{"0", 1000, []string{"tier 1: fixed amount 10"}},
		example{"10", 6000, []string{"tier 1: 10 units × 5 = 50", "tier 1: fixed amount 10"}},
		example{"10.5", 6200, []string{
			"tier 1: 10 units × 5 = 50", "tier 1: fixed amount 10", "tier 2: 0.5 units × 4 = 2",
		}},
		example{"21", 10_850, []string{
			"tier 1: 10 units × 5 = 50", "tier 1: fixed amount 10", "tier 2: 10.5 units × 4 = 42",
			"tier 3: 0.5 units × 3 = 1.5", "tier 3: fixed amount 5",
		}},
	)
}

// Tiers count the units after the included ones: the first tier holds for the 11th to the 20th unit.
func TestGraduated_CountsAfterIncludedUnits(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.Graduated, Included: dec("10"), Tiers: []rating.Tier{
		{UpTo: dec("10"), UnitPrice: dec("5")}, {UnitPrice: dec("3")},
	}},
		example{"10", 0, []string{"10 included"}},
		example{"20", 5000, []string{"10 included", "tier 1: 10 units × 5 = 50"}},
		example{"25", 6500, []string{"10 included", "tier 1: 10 units × 5 = 50", "tier 2: 5 units × 3 = 15"}},
	)
}

func TestGraduated_Packages(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.Graduated, Tiers: []rating.Tier{
		{UpTo: dec("1000"), PackageSize: dec("100"), PackagePrice: dec("1")},
		{PackageSize: dec("1000"), PackagePrice: dec("0.5")},
	}},
		example{"0", 0, nil},
		example{"101", 200, []string{"tier 1: 2 packages × 1 = 2"}},
		example{"2001", 1100, []string{"tier 1: 10 packages × 1 = 10", "tier 2: 2 packages × 0.5 = 1"}},
	)
}

package rating_test

import (
	"testing"

	"perennial/billing/rating"
)

func TestVolume(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.Volume, Tiers: []rating.Tier{
		{UpTo: dec("10"), UnitPrice: dec("5"), FlatAmount: 1000},
		{UpTo: dec("20"), UnitPrice: dec("4")},
		{PackageSize: dec("10"), PackagePrice: dec("30"), FlatAmount: 500},
	}},
		example{"0", 1000, []string{"tier 1: fixed amount 10"}},
		example{"10", 6000, []string{"tier 1: 10 units × 5 = 50", "tier 1: fixed amount 10"}},
		example{"10.5", 4200, []string{"tier 2: 10.5 units × 4 = 42"}},
		example{"21", 9500, []string{"tier 3: 3 packages × 30 = 90", "tier 3: fixed amount 5"}},
	)
}

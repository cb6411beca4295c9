package rating_test

import (
	"testing"

	"perennial/billing/rating"
)

func TestGraduatedPercentage(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.GraduatedPercentage, Minimum: 100, Tiers: []rating.Tier{
		{UpTo: dec("1000"), Percent: dec("2.9")}, {Percent: dec("0.5"), FlatAmount: 300},
	}},
		example{"0", 100, []string{"raised by 1 to the minimum"}},
		example{"1000", 2900, []string{"tier 1: 2.9 % of 1000 = 29"}},
		example{"1500.5", 3450, []string{
			"tier 1: 2.9 % of 1000 = 29", "tier 2: 0.5 % of 500.5 = 2.5025", "tier 2: fixed amount 3",
		}},
	)
}

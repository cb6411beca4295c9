package rating_test

import (
	"testing"

	"perennial/billing/rating"
)

func TestTieredFlat(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.TieredFlat, Tiers: []rating.Tier{
		{UpTo: dec("3")}, {UpTo: dec("10"), FlatAmount: 5000}, {FlatAmount: 20_000},
	}},
		example{"0", 0, nil},
		example{"3", 0, nil},
		example{"4", 5000, []string{"tier 2: fixed amount 50"}},
		example{"10", 5000, []string{"tier 2: fixed amount 50"}},
		example{"1000", 20_000, []string{"tier 3: fixed amount 200"}},
	)
}

package rating_test

import (
	"testing"

	"perennial/billing/rating"
)

func TestPackage(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{
		Model: rating.Package, PackageSize: dec("100"), PackagePrice: dec("7.5"), Included: dec("50"),
	},
		example{"0", 0, nil},
		example{"50", 0, []string{"50 included"}},
		example{"50.1", 750, []string{"50 included", "1 packages × 7.5 = 7.5"}},
		example{"150", 750, []string{"50 included", "1 packages × 7.5 = 7.5"}},
		example{"151", 1500, []string{"50 included", "2 packages × 7.5 = 15"}},
	)
}

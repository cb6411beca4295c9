package rating_test

import (
	"testing"

	"perennial/billing/rating"
)

func TestFlat(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.Flat, Amount: 1999},
		example{"0", 1999, []string{"fixed amount 19.99"}},
		example{"7", 1999, []string{"fixed amount 19.99"}},
	)
	requireExamples(t, rating.Price{Model: rating.Flat}, example{"1", 0, nil})
}

package bare

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/bench/stage"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/rating"
)

// The process of the bare side gets the plans of the recording, with any prices.
func TestConfig_IsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	seats := plan.Plan{
		ID: "plan_1", Version: 1, Name: "Seats", Currency: "EUR", Interval: period.Interval{Unit: period.Month, Count: 1},
		Prices: []plan.Price{
			{ID: "price_1", Price: rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(3), Included: money.Whole(1)}},
			{ID: "price_2", Price: rating.Price{Model: rating.Flat, Amount: 1900}},
		},
	}
	said := Config{DatabaseURL: "postgres://localhost", Stage: stage.Stage{Basic: seats}}
	text, err := said.Text()
	require.NoError(t, err)
	read, err := ParseConfig(text)
	require.NoError(t, err)
	require.Equal(t, said, read)
}

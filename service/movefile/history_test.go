package movefile_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/moving"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/service/movefile"
)

// An export has all charges of a plan, including those after a period.
func TestWriter_PlanWithAllThatItCharges(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	w := movefile.NewWriter(&out)
	seats := plan.Flat("price_1", "Seats", 500)
	seats.Arrears = true
	most := int64(10)

	require.NoError(t, w.Plan(moving.PlanOf(plan.Plan{
		ID: "plan_1", Version: 1, Name: "Pro", Currency: "EUR", Prices: []plan.Price{seats},
		Features: plan.Features{{Key: "calls", Limit: &most, MetricName: "calls"}},
		Metered: &metered.Prices{Components: []metered.Component{{
			ID: "price_2", MetricName: "calls",
			Rates: []metered.Rate{{Price: rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(2)}}},
		}}},
	}, ""), "plan_1"))

	require.Contains(t, out.String(), `"billing":"arrears"`)
	require.Contains(t, out.String(), `"metered":{"components":[{"id":"price_2","metricName":"calls"`)
	require.Contains(t, out.String(), `"features":[{"key":"calls","limit":10,"metricName":"calls"}]`)
}

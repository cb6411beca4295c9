package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlanTerms_KeepPriceModel(t *testing.T) {
	t.Parallel()
	p, _, err := PlanTerms{
		Name: "x", Currency: "USD", Interval: "month", Prices: []PriceForm{{PriceModel: PriceModel{Model: "tiered"}}},
	}.plan()
	require.NoError(t, err)
	require.Error(t, p.Validate(),
		"a model that the document allows one day and the rules do not know must not be sold as flat")
}

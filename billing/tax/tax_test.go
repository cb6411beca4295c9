package tax_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/tax"
)

func TestValidate(t *testing.T) {
	t.Parallel()
	for percent, valid := range map[string]bool{
		"0": true, "8.875": true, "100": true, "100.001": false, "-1": false, "": false,
	} {
		var rate tax.Rate
		require.NoError(t, rate.Percent.UnmarshalText([]byte(percent)))
		if valid {
			require.NoError(t, rate.Validate(), percent)
		} else {
			require.ErrorContains(t, rate.Validate(), "tax_percent_out_of_range", percent)
		}
	}
	require.Error(t, tax.Rate{Percent: money.Decimal{}}.Validate())
}

package balance_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/money"
)

func TestAdjusted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was, by, is money.Minor
		refused     string
	}{
		{0, 500, 500, ""},
		{500, -700, -200, ""},
		{500, 0, 0, "adjustment_zero"},
		{1, money.MaxMinor, 0, "amount_too_large"},
		{-1, -money.MaxMinor, 0, "amount_too_large"},
	} {
		is, err := balance.Adjusted(c.was, c.by)
		if c.refused != "" {
			require.ErrorContains(t, err, c.refused)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.is, is)
	}
}

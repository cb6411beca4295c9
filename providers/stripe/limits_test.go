package stripe

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	for c, want := range map[money.Currency]providers.Limits{
		"EUR": {Minimum: 50, Granularity: 1},
		"GBP": {Minimum: 30, Granularity: 1},
		"JPY": {Minimum: 50, Granularity: 1},
		"HUF": {Minimum: 17500, Granularity: 1},
		"XAF": {Minimum: 1, Granularity: 1},
		"UGX": {Minimum: 1, Granularity: 1},
		"KWD": {Minimum: 10, Granularity: 10},
		"MGA": {Minimum: 100, Granularity: 100},
		"CLF": {Unchargeable: true},
		"LYD": {Unchargeable: true},
	} {
		require.Equal(t, want, Limits(c), c)
		require.Equal(t, want, Factory{}.Limits(c), c)
	}
}

// Amounts that the limits allow can be written on the wire, and those that the granularity forbids cannot.
func TestLimits_AgreeWithTheWire(t *testing.T) {
	t.Parallel()
	for _, c := range []money.Currency{"EUR", "JPY", "XAF", "UGX", "ISK", "KWD", "BHD", "MGA", "HUF", "TWD"} {
		l := Limits(c)
		for amount := money.Minor(1); amount < 2000; amount++ {
			_, err := toWire(amount, c)
			require.Equal(t, amount%l.Granularity == 0, err == nil, "%d %s", amount, c)
		}
	}
	for _, c := range []money.Currency{"CLF", "LYD"} {
		_, err := toWire(100, c)
		require.Error(t, err)
	}
}

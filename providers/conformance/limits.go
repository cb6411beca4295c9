package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// limits hold the provider to its own word: the smallest amount that it says it takes is taken, and the one below is
// not.
var limits = []scenario{
	{"the smallest amount that the limits allow is taken", always, func(t *testing.T, b *bench) {
		require.NotEmpty(t, b.Currencies)
		for i, currency := range b.Currencies {
			l := b.Factory.Limits(currency)
			require.False(t, l.Unchargeable, currency)
			in := b.requestOf("txn_ok_"+string(currency), b.method(currency))
			in.Currency, in.Amount = currency, max(l.Minimum, l.Granularity, 1)
			require.Equal(t, providers.Succeeded, b.pay(t, in).Outcome, currency)
			require.Len(t, b.Rig.Movements(t, "capture"), i+1, currency)

			small := b.requestOf("txn_small_"+string(currency), b.method(currency))
			small.Currency, small.Amount = currency, in.Amount-max(l.Granularity, 1)
			if small.Amount <= 0 {
				continue
			}
			res, err := b.Provider.Charge(t.Context(), small)
			require.True(t, err != nil || b.end(t, small, res).Outcome != providers.Succeeded, currency)
			require.Len(t, b.Rig.Movements(t, "capture"), i+1, currency)
		}
	}},
}

package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
)

// limits hold the provider to its own word: the smallest amount that it says it takes is taken, and the one below is
// not.
var limits = []scenario{
	{"the smallest amount that the limits allow is taken", func(t *testing.T, b *bench) {
		for i, currency := range []money.Currency{"USD", "EUR", "GBP", "CZK", "HUF", "JPY", "XAF", "KWD", "MGA"} {
			l := b.Factory.Limits(currency)
			require.False(t, l.Unchargeable, currency)
			in := b.request(b.Methods.OK)
			in.Currency, in.Amount = currency, l.Minimum
			in.TransactionID, in.Key = "txn_ok_"+string(currency), "ok-"+string(currency)
			require.Equal(t, providers.Succeeded, b.charge(t, in).Outcome, currency)
			require.Len(t, b.Rig.Movements(t, "capture"), i+1, currency)

			if in.Amount -= max(l.Granularity, 1); in.Amount > 0 {
				in.TransactionID, in.Key = "txn_small_"+string(currency), "small-"+string(currency)
				res, err := b.Provider.Charge(t.Context(), in)
				require.True(t, err != nil || res.Outcome != providers.Succeeded, currency)
				require.Len(t, b.Rig.Movements(t, "capture"), i+1, currency)
			}
		}
	}},
}

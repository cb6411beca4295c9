package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

var lookups = []scenario{
	{"what the provider never saw is not found", func(t *testing.T, b *bench) {
		for _, in := range []providers.LookupRequest{{TransactionID: txn}, {TransactionID: txn, Ref: "pi_unknown"}} {
			charge, err := b.Provider.LookupCharge(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, providers.NotFound, charge.Outcome)
			refund, err := b.Provider.LookupRefund(t.Context(), in)
			require.NoError(t, err)
			require.Equal(t, providers.NotFound, refund.Outcome)
		}
	}},
	{"a transaction ID with quotes finds itself and nothing else", func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		in.TransactionID = `txn_' OR "a":'\`
		res := b.charge(t, in)
		found, err := b.Provider.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: in.TransactionID})
		require.NoError(t, err)
		require.Equal(t, res.Ref, found.Ref)
		require.Equal(t, providers.NotFound, b.lookup(t, "").Outcome)
	}},
	{"another transaction's reference is refused", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.OK))
		_, err := b.Provider.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_other", Ref: res.Ref})
		require.Error(t, err)
	}},
}

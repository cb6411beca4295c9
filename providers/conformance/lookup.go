package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

var lookups = []scenario{
	{"a key that the provider never saw is not found", needs{byKey}, func(t *testing.T, b *bench) {
		b.requireAbsent(t, "")
	}},
	{"a reference that the provider never gave is not found", needs{byRef}, func(t *testing.T, b *bench) {
		b.requireAbsent(t, b.UnknownRef)
	}},
	{"a transaction ID with quotes finds itself and nothing else", needs{byKey, anyTxn}, func(t *testing.T, b *bench) {
		in := b.requestOf(`txn_' OR "a":'\`, b.Methods.OK)
		res := b.pay(t, in)
		require.Equal(t, res.Ref, b.lookup(t, in, "").Ref)
		require.Equal(t, providers.NotFound, b.lookup(t, b.request(b.Methods.OK), "").Outcome)
	}},
	{"another transaction's reference is refused", needs{byRef}, func(t *testing.T, b *bench) {
		res := b.pay(t, b.request(b.Methods.OK))
		_, err := b.Provider.LookupCharge(t.Context(),
			providers.LookupRequest{TransactionID: "txn_other", Key: keyOf("txn_other"), Ref: res.Ref})
		require.Error(t, err)
	}},
	{"where nobody can be asked, a look-up is unknown", needs{blind}, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		res := b.pay(t, in)
		for _, ref := range []string{"", res.Ref, b.UnknownRef} {
			require.Equal(t, providers.Unknown, b.lookup(t, in, ref).Outcome)
			require.Equal(t, providers.Unknown, b.lookupRefund(t, b.refundOf(res.Ref, b.Price.Amount), ref, res.Ref).Outcome)
		}
	}},
}

func (b *bench) requireAbsent(t *testing.T, ref string) {
	t.Helper()
	require.Equal(t, providers.NotFound, b.lookup(t, b.request(b.Methods.OK), ref).Outcome)
	if ref != "" || b.can(refundsByKey) {
		require.Equal(t, providers.NotFound,
			b.lookupRefund(t, b.refundOf(b.UnknownRef, b.Price.Amount), ref, "").Outcome)
	}
}

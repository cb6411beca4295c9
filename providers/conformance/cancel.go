package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

var cancels = []scenario{
	{"cancelling says what the charge is afterwards", func(t *testing.T, b *bench) {
		for _, tc := range []struct {
			name   string
			method providers.Method
			after  []providers.Outcome
		}{
			// Providers differ in whether money on its way can be stopped; what matters is that the answer is true.
			{"pending", b.Methods.Pending, []providers.Outcome{providers.Pending, providers.Canceled}},
			{"succeeded", b.Methods.OK, []providers.Outcome{providers.Succeeded}},
		} {
			in := b.request(tc.method)
			in.TransactionID, in.Key = "txn_"+tc.name, "key-"+tc.name
			res := b.charge(t, in)
			for _, ref := range []string{res.Ref, ""} {
				after, err := b.Provider.CancelCharge(t.Context(),
					providers.LookupRequest{TransactionID: in.TransactionID, Ref: ref})
				require.NoError(t, err)
				b.clean(t, after)
				require.Contains(t, tc.after, after.Outcome, tc.name)
				require.Equal(t, res.Ref, after.Ref)
			}
		}
	}},
	{"a declined charge stays declined", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Declines[0].Method))
		after, err := b.Provider.CancelCharge(t.Context(), providers.LookupRequest{TransactionID: txn, Ref: res.Ref})
		require.NoError(t, err)
		require.Equal(t, providers.Declined, after.Outcome, "what is over stays as it ended")
		b.requireCaptures(t, 0)
	}},
	{"nobody cancels another transaction's charge", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.Pending))
		_, err := b.Provider.CancelCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_other", Ref: res.Ref})
		require.Error(t, err)
		require.Equal(t, providers.Pending, b.lookup(t, res.Ref).Outcome)
	}},
	{"cancelling a charge that never arrived finds nothing", func(t *testing.T, b *bench) {
		for _, ref := range []string{"", "pi_unknown"} {
			after, err := b.Provider.CancelCharge(t.Context(), providers.LookupRequest{TransactionID: txn, Ref: ref})
			require.NoError(t, err)
			require.Equal(t, providers.NotFound, after.Outcome)
		}
	}},
}

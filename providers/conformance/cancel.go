package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

var cancels = []scenario{
	// Providers differ in whether money on its way can be stopped; what matters is that the answer is true.
	{"cancelling says what the charge is afterwards", needs{canceled}, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.Pending)
		res := b.charge(t, in)
		for _, ref := range []string{res.Ref, ""} {
			after := b.cancel(t, in, ref)
			require.Contains(t, b.open(providers.Pending, providers.Canceled), after.Outcome)
			if b.can(byRef) {
				require.Equal(t, res.Ref, after.Ref)
			}
		}
		b.requireCaptures(t, 0)
	}},
	{"cancelling does not undo a success", needs{canceled, byRef}, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		res := b.pay(t, in)
		require.Equal(t, providers.Succeeded, b.cancel(t, in, res.Ref).Outcome)
		require.Empty(t, b.Rig.Movements(t, "refund"))
		b.requireCaptures(t, 1)
	}},
	{"a declined charge stays declined", needs{canceled, byRef}, func(t *testing.T, b *bench) {
		in := b.request(b.Declines[0].Method)
		res := b.pay(t, in)
		require.Equal(t, res.Outcome, b.cancel(t, in, res.Ref).Outcome, "what is over stays as it ended")
		b.requireCaptures(t, 0)
	}},
	{"nobody cancels another transaction's charge", needs{canceled, byRef}, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.Pending)
		res := b.charge(t, in)
		_, err := b.Provider.CancelCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_other", Ref: res.Ref})
		require.Error(t, err)
		require.Equal(t, providers.Pending, b.lookup(t, in, res.Ref).Outcome)
	}},
	{"cancelling a charge that never arrived finds nothing", needs{canceled, byRef}, func(t *testing.T, b *bench) {
		for _, ref := range []string{"", b.UnknownRef} {
			require.Equal(t, providers.NotFound, b.cancel(t, b.request(b.Methods.OK), ref).Outcome)
		}
	}},
}

// open adds Unknown to the outcomes for a provider without look-up, which cannot know.
func (b *bench) open(outcomes ...providers.Outcome) []providers.Outcome {
	if b.can(byRef) {
		return outcomes
	}
	return append(outcomes, providers.Unknown)
}

func (b *bench) cancel(t *testing.T, in providers.ChargeRequest, ref string) providers.Result {
	t.Helper()
	res, err := b.Provider.CancelCharge(t.Context(), lookupOf(in, ref))
	require.NoError(t, err)
	return b.clean(t, res)
}

package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// breakdowns are answers that prove nothing, or that nothing was done.
var breakdowns = []scenario{
	{"broken after the booking: unknown, and a replay charges nothing more", needs{replay},
		func(t *testing.T, b *bench) {
			for i, kind := range []string{"500_booked", "503_booked", "bad_json", "reset_booked"} {
				in := b.requestOf("txn_"+kind, b.Methods.OK)
				b.broken(t, in, kind)
				require.Equal(t, providers.Succeeded, b.pay(t, in).Outcome, kind)
				require.Len(t, b.Rig.Captures(t, in.TransactionID), 1, kind)
				require.Len(t, b.Rig.Movements(t, "capture"), i+1, kind)
			}
		}},
	{"broken after the booking: the look-up finds it", needs{byKey}, func(t *testing.T, b *bench) {
		for _, kind := range []string{"500_booked", "bad_json"} {
			in := b.requestOf("txn_"+kind, b.Methods.OK)
			b.broken(t, in, kind)
			await(t, func() bool { return b.lookup(t, in, "").Outcome == providers.Succeeded })
			require.Len(t, b.Rig.Captures(t, in.TransactionID), 1, kind)
		}
	}},
	{"broken before the booking: unknown all the same", always, func(t *testing.T, b *bench) {
		for _, kind := range []string{"500", "503", "reset"} {
			in := b.requestOf("txn_"+kind, b.Methods.OK)
			b.broken(t, in, kind)
			require.Empty(t, b.Rig.Captures(t, in.TransactionID), kind)
			if b.can(byKey) {
				require.Equal(t, providers.NotFound, b.lookup(t, in, "").Outcome, kind)
			}
			require.Equal(t, providers.Succeeded, b.pay(t, in).Outcome, kind)
			require.Len(t, b.Rig.Captures(t, in.TransactionID), 1, kind)
		}
	}},
	{"a 500 that the provider remembers: unknown, however often, until looked up", needs{repeatsErrors, byKey},
		func(t *testing.T, b *bench) {
			in := b.request(b.Methods.ErrorCaptured)
			require.Equal(t, providers.Unknown, b.charge(t, in).Outcome)
			require.Equal(t, providers.Unknown, b.charge(t, in).Outcome)
			require.Equal(t, providers.Succeeded, b.lookup(t, in, "").Outcome)
			b.requireCaptures(t, 1)
		}},
	{"too many requests: surely not sent, and when to come back", always, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		b.Rig.Fault(t, "429", b.ChargePath)
		res := b.charge(t, in)
		b.Rig.EndFaults(t)
		require.Equal(t, providers.NotSent, res.Outcome)
		require.Positive(t, res.RetryAfter)
		if b.can(byKey) {
			require.Equal(t, providers.NotFound, b.lookup(t, in, "").Outcome)
		}
		b.requireCaptures(t, 0)
	}},
	{"a slow answer is an answer", always, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		b.Rig.Fault(t, "slow_body", b.ChargePath)
		res := b.charge(t, in)
		b.Rig.EndFaults(t)
		require.Equal(t, providers.Succeeded, b.end(t, in, res).Outcome)
		b.requireCaptures(t, 1)
	}},
}

// broken charges into a fault, and learns nothing.
func (b *bench) broken(t *testing.T, in providers.ChargeRequest, kind string) {
	t.Helper()
	b.Rig.Fault(t, kind, b.ChargePath)
	res := b.charge(t, in)
	b.Rig.EndFaults(t)
	require.Contains(t, []providers.Outcome{providers.Unknown, providers.Pending}, res.Outcome, kind)
}

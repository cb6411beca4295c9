package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// silences are the ways not to learn what became of a charge.
var silences = []scenario{
	{"booked and silent: the replay brings the first charge back", needs{replay}, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		first := b.silent(t, in, "hang_booked", b.captured(t))
		require.Equal(t, providers.Unknown, first.Outcome)
		require.Empty(t, first.FailureCode)
		again := b.untilKeyIsFree(t, in)
		require.Equal(t, providers.Succeeded, b.end(t, in, again).Outcome)
		require.Equal(t, b.Rig.Movements(t, "capture")[0].Charge, again.Ref)
		b.requireCaptures(t, 1)
	}},
	{"booked and silent: the look-up finds it", needs{byKey}, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		require.Equal(t, providers.Unknown, b.silent(t, in, "hang_booked", b.captured(t)).Outcome)
		found := b.lookup(t, in, "")
		require.Equal(t, providers.Succeeded, found.Outcome)
		require.Equal(t, b.Price, priceOf(found))
		b.requireCaptures(t, 1)
	}},
	{"dropped and silent: unknown, then the same key charges for the first time", always,
		func(t *testing.T, b *bench) {
			in := b.request(b.Methods.OK)
			require.Equal(t, providers.Unknown, b.silent(t, in, "hang", b.Rig.reached(t, b.ChargePath)).Outcome)
			if b.can(byKey) {
				require.Equal(t, providers.NotFound, b.lookup(t, in, "").Outcome)
			}
			require.Equal(t, providers.Succeeded, b.end(t, in, b.untilKeyIsFree(t, in)).Outcome)
			b.requireCaptures(t, 1)
		}},
	{"a closed port proves that nothing was sent", always, func(t *testing.T, b *bench) {
		res, err := b.Unreachable.Charge(t.Context(), b.request(b.Methods.OK))
		require.NoError(t, err)
		require.Equal(t, providers.NotSent, b.clean(t, res).Outcome)
		require.NotEmpty(t, res.FailureReason)
		refund, err := b.Unreachable.Refund(t.Context(), b.refundOf(b.UnknownRef, b.Price.Amount))
		require.NoError(t, err)
		require.Equal(t, providers.NotSent, refund.Outcome)
	}},
	{"a closed port says nothing about a charge that was looked up", always, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		for _, p := range []providers.Provider{b.Unreachable, b.WrongKey} {
			ask := []func(context.Context, providers.LookupRequest) (providers.Result, error){p.LookupCharge, p.LookupRefund}
			if b.can(canceled) {
				ask = append(ask, p.CancelCharge)
			}
			for _, ref := range []string{"", b.UnknownRef} {
				for _, ask := range ask {
					res, err := ask(t.Context(), lookupOf(in, ref))
					require.NoError(t, err)
					require.Equal(t, providers.Unknown, b.clean(t, res).Outcome)
				}
			}
		}
	}},
	{"a caller that gave up before sending sent nothing", always, func(t *testing.T, b *bench) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		res, err := b.Provider.Charge(ctx, b.request(b.Methods.OK))
		require.NoError(t, err)
		require.Equal(t, providers.NotSent, res.Outcome)
		b.requireCaptures(t, 0)
	}},
	{"a wrong key is refused before anything happens", always, func(t *testing.T, b *bench) {
		res, err := b.WrongKey.Charge(t.Context(), b.request(b.Methods.OK))
		require.NoError(t, err)
		require.Equal(t, providers.NotSent, b.clean(t, res).Outcome)
		require.Error(t, b.WrongKey.TestConnection(t.Context()))
		require.Error(t, b.Unreachable.TestConnection(t.Context()))
		require.NoError(t, b.Provider.TestConnection(t.Context()))
		b.requireCaptures(t, 0)
	}},
}

// silent charges into a fault and gives up once the provider has come as far as until says.
func (b *bench) silent(
	t *testing.T, in providers.ChargeRequest, fault string, until func() bool,
) (res providers.Result) {
	t.Helper()
	b.Rig.Fault(t, fault, b.ChargePath)
	var err error
	b.Rig.interrupted(t, until, func(ctx context.Context) { res, err = b.Provider.Charge(ctx, in) })
	require.NoError(t, err)
	b.Rig.EndFaults(t)
	return b.clean(t, res)
}

func (b *bench) captured(t *testing.T) func() bool {
	return func() bool { return len(b.Rig.Movements(t, "capture")) > 0 }
}

// untilKeyIsFree repeats the charge while the provider is still busy with the first one.
func (b *bench) untilKeyIsFree(t *testing.T, in providers.ChargeRequest) (res providers.Result) {
	t.Helper()
	await(t, func() bool {
		res = b.charge(t, in)
		return res.Outcome != providers.Unknown
	})
	return res
}

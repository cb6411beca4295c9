package conformance

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// silences are the ways not to learn what became of a charge.
var silences = []scenario{
	{"captured and silent: the replay brings the first capture back", func(t *testing.T, b *bench) {
		in := b.request(b.Methods.Hang)
		first := b.silent(t, in, b.captured(t))
		require.Equal(t, providers.Unknown, first.Outcome)
		require.Empty(t, first.Ref)
		again := b.untilKeyIsFree(t, in)
		require.Equal(t, providers.Succeeded, again.Outcome)
		require.Equal(t, b.Rig.Movements(t, "capture")[0].Charge, again.Ref)
		b.requireCaptures(t, 1)
	}},
	{"captured and silent: the look-up finds it", func(t *testing.T, b *bench) {
		in := b.request(b.Methods.Hang)
		require.Equal(t, providers.Unknown, b.silent(t, in, b.captured(t)).Outcome)
		found := b.lookup(t, "")
		require.Equal(t, providers.Succeeded, found.Outcome)
		require.Equal(t, b.Price, priceOf(found))
		b.requireCaptures(t, 1)
	}},
	{"dropped and silent: unknown, then the same key charges for the first time", func(t *testing.T, b *bench) {
		in := b.request(b.Methods.HangDropped)
		require.Equal(t, providers.Unknown, b.silent(t, in, b.Rig.reached()).Outcome)
		require.Equal(t, providers.NotFound, b.lookup(t, "").Outcome)
		b.Rig.Script(t, in.Method.PaymentMethodToken, b.Methods.OK.PaymentMethodToken)
		require.Equal(t, providers.Succeeded, b.untilKeyIsFree(t, in).Outcome)
		b.requireCaptures(t, 1)
	}},
	{"500 after the capture: unknown, however often, until looked up", func(t *testing.T, b *bench) {
		in := b.request(b.Methods.ErrorCaptured)
		require.Equal(t, providers.Unknown, b.charge(t, in).Outcome)
		require.Equal(t, providers.Unknown, b.charge(t, in).Outcome)
		require.Equal(t, providers.Succeeded, b.lookup(t, "").Outcome)
		b.requireCaptures(t, 1)
	}},
	{"500 before the capture: unknown, and not found", func(t *testing.T, b *bench) {
		require.Equal(t, providers.Unknown, b.charge(t, b.request(b.Methods.ErrorDropped)).Outcome)
		require.Equal(t, providers.NotFound, b.lookup(t, "").Outcome)
		b.requireCaptures(t, 0)
	}},
	{"a documented refusal to process was not sent", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.NotProcessed))
		require.Equal(t, providers.NotSent, res.Outcome)
		require.Positive(t, res.RetryAfter)
		require.Equal(t, providers.NotFound, b.lookup(t, "").Outcome)
		b.requireCaptures(t, 0)
	}},
	{"a closed port proves that nothing was sent", func(t *testing.T, b *bench) {
		res, err := b.Unreachable.Charge(t.Context(), b.request(b.Methods.OK))
		require.NoError(t, err)
		require.Equal(t, providers.NotSent, b.clean(t, res).Outcome)
		require.NotEmpty(t, res.FailureReason)
		refund, err := b.Unreachable.Refund(t.Context(), b.refundOf("pi_1", b.Price.Amount))
		require.NoError(t, err)
		require.Equal(t, providers.NotSent, refund.Outcome)
	}},
	{"a closed port says nothing about a charge that was looked up", func(t *testing.T, b *bench) {
		for _, in := range []providers.LookupRequest{{TransactionID: txn}, {TransactionID: txn, Ref: "pi_1"}} {
			for _, ask := range []func(context.Context, providers.LookupRequest) (providers.Result, error){
				b.Unreachable.LookupCharge, b.Unreachable.CancelCharge, b.Unreachable.LookupRefund,
				b.WrongKey.LookupCharge, b.WrongKey.CancelCharge, b.WrongKey.LookupRefund,
			} {
				res, err := ask(t.Context(), in)
				require.NoError(t, err)
				require.Equal(t, providers.Unknown, b.clean(t, res).Outcome)
			}
		}
	}},
	{"a caller that gave up before sending sent nothing", func(t *testing.T, b *bench) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		res, err := b.Provider.Charge(ctx, b.request(b.Methods.OK))
		require.NoError(t, err)
		require.Equal(t, providers.NotSent, res.Outcome)
		b.requireCaptures(t, 0)
	}},
	{"a wrong key is refused before anything happens", func(t *testing.T, b *bench) {
		res, err := b.WrongKey.Charge(t.Context(), b.request(b.Methods.OK))
		require.NoError(t, err)
		require.Equal(t, providers.NotSent, b.clean(t, res).Outcome)
		require.Error(t, b.WrongKey.TestConnection(t.Context()))
		require.Error(t, b.Unreachable.TestConnection(t.Context()))
		require.NoError(t, b.Provider.TestConnection(t.Context()))
		b.requireCaptures(t, 0)
	}},
}

// silent charges and gives up once the provider has come as far as until says.
func (b *bench) silent(t *testing.T, in providers.ChargeRequest, until func() bool) (res providers.Result) {
	t.Helper()
	var err error
	b.Rig.interrupted(t, until, func(ctx context.Context) { res, err = b.Provider.Charge(ctx, in) })
	require.NoError(t, err)
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

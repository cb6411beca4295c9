package conformance

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

var replays = []scenario{
	{"inside the window a replay charges once and says the same", func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		first, again := b.charge(t, in), b.charge(t, in)
		require.Equal(t, first, again)
		b.requireCaptures(t, 1)
	}},
	{"a decline is replayed too", func(t *testing.T, b *bench) {
		in := b.request(b.Declines[0].Method)
		first := b.charge(t, in)
		b.Rig.Script(t, in.Method.PaymentMethodToken, b.Methods.OK.PaymentMethodToken)
		require.Equal(t, first, b.charge(t, in), "the card is good by now, but this attempt is over")
		b.requireCaptures(t, 0)
	}},
	{"after the provider forgot the key a replay charges twice, and the ledger shows it", func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		first := b.charge(t, in)
		b.Rig.ForgetKeys(t)
		second := b.charge(t, in)
		require.Equal(t, providers.Succeeded, second.Outcome)
		require.NotEqual(t, first.Ref, second.Ref)
		b.requireCaptures(t, 2)
		require.Equal(t, providers.Succeeded, b.lookup(t, "").Outcome)
	}},
	{"many at once with one key charge once", func(t *testing.T, b *bench) {
		const clients = 12
		in := b.request(b.Methods.Slow)
		results := make([]providers.Result, clients)
		errs := make([]error, clients)
		var start, end sync.WaitGroup
		start.Add(1)
		for i := range clients {
			end.Go(func() {
				start.Wait()
				results[i], errs[i] = b.Provider.Charge(t.Context(), in)
			})
		}
		start.Done()
		end.Wait()
		final := b.untilKeyIsFree(t, in)
		for i, res := range results {
			require.NoError(t, errs[i])
			switch res.Outcome {
			case providers.Succeeded:
				require.Equal(t, final.Ref, res.Ref)
			case providers.Unknown:
				require.Positive(t, res.RetryAfter, "a key in use says when to come back")
			default:
				require.Failf(t, "impossible outcome", "%+v", res)
			}
		}
		b.requireCaptures(t, 1)
	}},
	{"one key with other parameters is an error, not a payment that failed", func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		b.charge(t, in)
		in.Amount *= 2
		_, err := b.Provider.Charge(t.Context(), in)
		require.Error(t, err)
		require.Equal(t, fault.Conflict, fault.From(err).Kind)
		require.False(t, fault.From(err).Retryable())
		b.requireCaptures(t, 1)
	}},
}

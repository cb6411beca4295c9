package conformance

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

var replays = []scenario{
	{"inside the window a replay charges once and says the same", needs{replay}, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		first := b.pay(t, in)
		again := b.pay(t, in)
		require.Equal(t, [2]any{first.Outcome, first.Ref}, [2]any{again.Outcome, again.Ref})
		b.requireCaptures(t, 1)
	}},
	{"a decline is replayed too", needs{replay}, func(t *testing.T, b *bench) {
		in := b.request(b.Declines[0].Method)
		first := b.pay(t, in)
		again := b.pay(t, in)
		require.Equal(t, [3]any{first.Outcome, first.FailureCode, first.Ref},
			[3]any{again.Outcome, again.FailureCode, again.Ref})
		b.requireCaptures(t, 0)
	}},
	{"after the provider forgot the key a replay charges twice, and the ledger shows it", needs{forgets},
		func(t *testing.T, b *bench) {
			in := b.request(b.Methods.OK)
			first := b.pay(t, in)
			b.Rig.ForgetKeys(t)
			second := b.pay(t, in)
			require.Equal(t, providers.Succeeded, second.Outcome)
			require.NotEqual(t, first.Ref, second.Ref)
			b.requireCaptures(t, 2)
		}},
	{"many at once with one key charge once", needs{replay}, func(t *testing.T, b *bench) {
		const clients = 12
		in := b.request(b.Methods.OK)
		b.Rig.Fault(t, "delay", b.ChargePath)
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
		b.Rig.EndFaults(t)
		final := b.untilKeyIsFree(t, in)
		for i, res := range results {
			require.NoError(t, errs[i])
			switch res.Outcome {
			case providers.Succeeded, providers.Pending:
				require.Equal(t, final.Ref, res.Ref)
			case providers.Unknown:
				require.Positive(t, res.RetryAfter, "a key in use says when to come back")
			default:
				require.Failf(t, "impossible outcome", "%+v", res)
			}
		}
		require.Equal(t, providers.Succeeded, b.end(t, in, final).Outcome)
		b.requireCaptures(t, 1)
	}},
	{"one key with other parameters is an error, not a payment that failed", needs{replay, bindsKeys},
		func(t *testing.T, b *bench) {
			in := b.request(b.Methods.OK)
			b.pay(t, in)
			in.Amount *= 2
			_, err := b.Provider.Charge(t.Context(), in)
			require.Error(t, err)
			require.Equal(t, fault.Conflict, fault.From(err).Kind)
			require.False(t, fault.From(err).Retryable())
			b.requireCaptures(t, 1)
		}},
}

package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

var refundEnds = []scenario{
	{"a pending refund ends later", needs{holdsRefunds}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.RefundPending))
		in := b.refundOf(charge.Ref, b.Price.Amount)
		res := b.refund(t, in)
		require.Equal(t, providers.Pending, res.Outcome)
		require.Empty(t, b.Rig.Movements(t, "refund"))
		b.Rig.SettleRefund(t, res.Ref, "succeeded")
		require.Equal(t, providers.Succeeded, b.refundEnd(t, in, res).Outcome)
		require.Len(t, b.Rig.Movements(t, "refund"), 1)
	}},
	{"a pending refund fails later", needs{holdsRefunds}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.RefundPending))
		in := b.refundOf(charge.Ref, b.Price.Amount)
		res := b.refund(t, in)
		b.Rig.SettleRefund(t, res.Ref, "failed")
		end := b.refundEnd(t, in, res)
		require.Equal(t, providers.Failed, end.Outcome)
		require.NotEmpty(t, end.FailureReason)
		require.Empty(t, b.Rig.Movements(t, "refund"))
	}},
	{"a refund that comes back is failed", needs{returnsRefund}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.RefundReversed))
		in := b.refundOf(charge.Ref, b.Price.Amount)
		res := b.giveBack(t, in)
		require.Equal(t, providers.Succeeded, res.Outcome)
		b.Rig.SettleRefund(t, res.Ref, "failed")
		res.Outcome = providers.Pending // look again
		found := b.refundEnd(t, in, res)
		require.Equal(t, providers.Failed, found.Outcome)
		require.NotEmpty(t, found.FailureReason)
		require.Len(t, b.Rig.Movements(t, "refund_returned"), 1)
	}},
}

// since is a look-up of a captured charge with what became of its money.
func (b *bench) since(t *testing.T, ref string) providers.Result {
	t.Helper()
	in := lookupOf(b.request(b.Methods.OK), ref)
	in.Since = true
	found, err := b.Provider.LookupCharge(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, providers.Succeeded, found.Outcome)
	return found
}

func (b *bench) refund(t *testing.T, in providers.RefundRequest) providers.Result {
	t.Helper()
	res, err := b.Provider.Refund(t.Context(), in)
	require.NoError(t, err)
	return b.clean(t, res)
}

// giveBack refunds, and waits for the end if the provider takes its time.
func (b *bench) giveBack(t *testing.T, in providers.RefundRequest) providers.Result {
	t.Helper()
	return b.refundEnd(t, in, b.refund(t, in))
}

func (b *bench) refundEnd(t *testing.T, in providers.RefundRequest, res providers.Result) providers.Result {
	t.Helper()
	switch {
	case res.Outcome != providers.Pending:
		return res
	case b.can(byRef):
		ref := res.Ref
		await(t, func() bool {
			res = b.lookupRefund(t, in, ref, in.ChargeRef)
			return res.Outcome != providers.Pending
		})
		return res
	}
	return b.said(t, in.TransactionID, res.Ref)
}

func (b *bench) lookupRefund(t *testing.T, in providers.RefundRequest, ref, chargeRef string) providers.Result {
	t.Helper()
	res, err := b.Provider.LookupRefund(t.Context(), providers.LookupRequest{
		TransactionID: in.TransactionID, Key: in.Key, Ref: ref, ChargeRef: chargeRef,
	})
	require.NoError(t, err)
	return b.clean(t, res)
}

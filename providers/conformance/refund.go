package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
)

const refundTxn = "txn_00000000000000000000000002"

var refunds = []scenario{
	{"a full refund, once however often it is sent", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.OK))
		in := b.refundOf(charge.Ref, b.Price.Amount)
		first, again := b.refund(t, in), b.refund(t, in)
		require.Equal(t, first, again)
		require.Equal(t, providers.Succeeded, first.Outcome)
		require.Equal(t, b.Price, priceOf(first))
		moved := b.Rig.Movements(t, "refund")
		require.Len(t, moved, 1)
		require.Equal(t, refundTxn, moved[0].TransactionID)
		require.Equal(t, charge.Ref, moved[0].Charge)
		require.Equal(t, providers.Succeeded, b.lookup(t, charge.Ref).Outcome, "the charge stays what it was")
		second := in
		second.Key, second.TransactionID = "refund-2", "txn_another"
		require.Equal(t, providers.Failed, b.refund(t, second).Outcome, "nothing is left to refund")
	}},
	{"partial refunds up to the charge and not beyond", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.OK))
		part := b.refundOf(charge.Ref, b.Price.Amount/2)
		require.Equal(t, providers.Succeeded, b.refund(t, part).Outcome)
		large := b.refundOf(charge.Ref, b.Price.Amount)
		large.Key, large.TransactionID = "refund-2", "txn_large"
		res := b.refund(t, large)
		require.Equal(t, providers.Failed, res.Outcome)
		require.NotEmpty(t, res.FailureReason)
		rest := b.refundOf(charge.Ref, b.Price.Amount-b.Price.Amount/2)
		rest.Key, rest.TransactionID = "refund-3", "txn_rest"
		require.Equal(t, providers.Succeeded, b.refund(t, rest).Outcome)
		require.Len(t, b.Rig.Movements(t, "refund"), 2)
	}},
	{"a look-up lists the refunds", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.RefundReversed))
		total := func() (sum money.Minor) {
			for _, r := range b.since(t, charge.Ref).Refunds {
				sum += r.Amount
			}
			return sum
		}
		require.Zero(t, total())
		half := b.refund(t, b.refundOf(charge.Ref, b.Price.Amount/2))
		require.Equal(t, b.Price.Amount/2, total())
		rest := b.refundOf(charge.Ref, b.Price.Amount-b.Price.Amount/2)
		rest.Key, rest.TransactionID = "refund-2", "txn_elsewhere"
		require.Equal(t, providers.Succeeded, b.refund(t, rest).Outcome)
		require.Equal(t, b.Price.Amount, total())
		b.Rig.SettleRefund(t, half.Ref, "failed")
		left := b.since(t, charge.Ref).Refunds
		require.Equal(t, []providers.SeenRefund{{
			Ref: left[0].Ref, TransactionID: "txn_elsewhere", Amount: b.Price.Amount - b.Price.Amount/2,
		}}, left, "not what came back")
	}},
	{"a pending refund ends later", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.RefundPending))
		res := b.refund(t, b.refundOf(charge.Ref, b.Price.Amount))
		require.Equal(t, providers.Pending, res.Outcome)
		require.Empty(t, b.Rig.Movements(t, "refund"))
		b.Rig.SettleRefund(t, res.Ref, "succeeded")
		require.Equal(t, providers.Succeeded, b.lookupRefund(t,
			providers.LookupRequest{TransactionID: refundTxn, Ref: res.Ref}).Outcome)
		require.Len(t, b.Rig.Movements(t, "refund"), 1)
	}},
	{"a refund that comes back is failed", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.RefundReversed))
		res := b.refund(t, b.refundOf(charge.Ref, b.Price.Amount))
		require.Equal(t, providers.Succeeded, res.Outcome)
		b.Rig.SettleRefund(t, res.Ref, "failed")
		found := b.lookupRefund(t, providers.LookupRequest{TransactionID: refundTxn, Ref: res.Ref})
		require.Equal(t, providers.Failed, found.Outcome)
		require.NotEmpty(t, found.FailureReason)
		require.Len(t, b.Rig.Movements(t, "refund_returned"), 1)
	}},
	{"a refund is found without its reference", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.OK))
		res := b.refund(t, b.refundOf(charge.Ref, 1*b.Price.Amount/2))
		for _, chargeRef := range []string{charge.Ref, ""} {
			found := b.lookupRefund(t, providers.LookupRequest{TransactionID: refundTxn, ChargeRef: chargeRef})
			require.Equal(t, [2]any{res.Outcome, res.Ref}, [2]any{found.Outcome, found.Ref})
			absent := b.lookupRefund(t, providers.LookupRequest{TransactionID: "txn_absent", ChargeRef: chargeRef})
			require.Equal(t, providers.NotFound, absent.Outcome)
		}
	}},
	{"a charge that never captured cannot be refunded", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.Pending))
		require.Equal(t, providers.Failed, b.refund(t, b.refundOf(charge.Ref, b.Price.Amount)).Outcome)
		unknown := b.refundOf("pi_unknown", b.Price.Amount)
		unknown.Key = "refund-2"
		require.Equal(t, providers.Failed, b.refund(t, unknown).Outcome)
		require.Empty(t, b.Rig.Movements(t, "refund"))
	}},
}

func (b *bench) refundOf(ref string, amount money.Minor) providers.RefundRequest {
	return providers.RefundRequest{
		TransactionID: refundTxn, Key: "refund-1", ChargeRef: ref, Amount: amount, Currency: b.Price.Currency,
	}
}

// since is a look-up of a captured charge with what became of its money.
func (b *bench) since(t *testing.T, ref string) providers.Result {
	t.Helper()
	found, err := b.Provider.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: txn, Ref: ref, Since: true})
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

func (b *bench) lookupRefund(t *testing.T, in providers.LookupRequest) providers.Result {
	t.Helper()
	res, err := b.Provider.LookupRefund(t.Context(), in)
	require.NoError(t, err)
	return b.clean(t, res)
}

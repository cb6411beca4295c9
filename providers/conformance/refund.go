package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
)

var refunds = []scenario{
	{"a full refund, once however often it is sent", always, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		charge := b.pay(t, in)
		back := b.refundOf(charge.Ref, b.Price.Amount)
		first := b.giveBack(t, back)
		require.Equal(t, first.Ref, b.refund(t, back).Ref)
		require.Equal(t, providers.Succeeded, first.Outcome)
		require.Equal(t, b.Price, priceOf(first))
		moved := b.Rig.Movements(t, "refund")
		require.Len(t, moved, 1)
		require.Equal(t, refundTxn, moved[0].TransactionID)
		require.Equal(t, charge.Ref, moved[0].Charge)
		if b.can(byRef) {
			require.Equal(t, providers.Succeeded, b.lookup(t, in, charge.Ref).Outcome, "the charge stays what it was")
		}
		require.Equal(t, providers.Failed, b.giveBack(t, b.another("txn_another", back)).Outcome, "nothing is left to refund")
		require.Len(t, b.Rig.Movements(t, "refund"), 1)
	}},
	{"partial refunds up to the charge and not beyond", always, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.OK))
		half := b.Price.Amount / 2
		require.Equal(t, providers.Succeeded, b.giveBack(t, b.refundOf(charge.Ref, half)).Outcome)
		res := b.giveBack(t, b.another("txn_large", b.refundOf(charge.Ref, b.Price.Amount)))
		require.Equal(t, providers.Failed, res.Outcome)
		require.NotEmpty(t, res.FailureReason)
		rest := b.giveBack(t, b.another("txn_rest", b.refundOf(charge.Ref, b.Price.Amount-half)))
		require.Equal(t, providers.Succeeded, rest.Outcome)
		require.Len(t, b.Rig.Movements(t, "refund"), 2)
	}},
	{"a charge that never captured cannot be refunded", always, func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.Pending))
		require.Equal(t, providers.Failed, b.giveBack(t, b.refundOf(charge.Ref, b.Price.Amount)).Outcome)
		unknown := b.another("txn_unknown", b.refundOf(b.UnknownRef, b.Price.Amount))
		require.Equal(t, providers.Failed, b.giveBack(t, unknown).Outcome)
		require.Empty(t, b.Rig.Movements(t, "refund"))
	}},
	{"a look-up lists the refunds", needs{byRef, listsRefunds, returnsRefund}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.RefundReversed))
		total := func() (sum money.Minor) {
			for _, r := range b.since(t, charge.Ref).Refunds {
				sum += r.Amount
			}
			return sum
		}
		require.Zero(t, total())
		amount := b.Price.Amount / 2
		half := b.giveBack(t, b.refundOf(charge.Ref, amount))
		require.Equal(t, amount, total())
		rest := b.giveBack(t, b.another("txn_elsewhere", b.refundOf(charge.Ref, b.Price.Amount-amount)))
		require.Equal(t, providers.Succeeded, rest.Outcome)
		require.Equal(t, b.Price.Amount, total())
		b.Rig.SettleRefund(t, half.Ref, "failed")
		require.Equal(t, []providers.SeenRefund{{
			Ref: rest.Ref, TransactionID: "txn_elsewhere", Amount: b.Price.Amount - amount,
		}}, b.since(t, charge.Ref).Refunds, "not what came back")
	}},
	{"a refund is found without its reference", needs{byKey, refundsByKey}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.OK))
		in := b.refundOf(charge.Ref, b.Price.Amount/2)
		res := b.giveBack(t, in)
		for _, chargeRef := range []string{charge.Ref, ""} {
			found := b.lookupRefund(t, in, "", chargeRef)
			require.Equal(t, [2]any{res.Outcome, res.Ref}, [2]any{found.Outcome, found.Ref})
			absent := b.lookupRefund(t, b.another("txn_absent", in), "", chargeRef)
			require.Equal(t, providers.NotFound, absent.Outcome)
		}
	}},
	{"a refund at the dashboard has no reference of ours", needs{byRef, listsRefunds}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.OK))
		b.Rig.RefundElsewhere(t, charge.Ref)
		seen := b.since(t, charge.Ref).Refunds
		require.Len(t, seen, 1)
		require.NotEmpty(t, seen[0].Ref)
		require.Empty(t, seen[0].TransactionID)
		require.Equal(t, b.Price.Amount, seen[0].Amount)
	}},
}

func (b *bench) refundOf(ref string, amount money.Minor) providers.RefundRequest {
	return providers.RefundRequest{
		TransactionID: refundTxn, Key: keyOf(refundTxn), ChargeRef: ref, Amount: amount, Currency: b.Price.Currency,
	}
}

// another is the same refund as a transaction of its own.
func (b *bench) another(transaction string, in providers.RefundRequest) providers.RefundRequest {
	in.TransactionID, in.Key = transaction, keyOf(transaction)
	return in
}

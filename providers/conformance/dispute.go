package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

var disputes = []scenario{
	{"a dispute withdraws the money until it is won", needs{disputable, byRef}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.OK))
		require.Empty(t, b.since(t, charge.Ref).Disputes)
		b.Rig.Dispute(t, charge.Ref, false)
		d := b.dispute(t, charge.Ref)
		require.Equal(t, providers.Dispute{
			Ref: d.Ref, State: providers.DisputeOpen, Amount: b.Price.Amount, Currency: b.Price.Currency,
			Withdrawn: b.Price.Amount, Stage: providers.StageChargeback, Reason: d.Reason,
		}, d)
		require.Len(t, b.Rig.Movements(t, "dispute_withdrawn"), 1)
		b.Rig.CloseDispute(t, d.Ref, "won")
		d.State, d.Withdrawn = providers.DisputeWon, 0
		require.Equal(t, d, b.dispute(t, charge.Ref))
		require.Len(t, b.Rig.Movements(t, "dispute_reinstated"), 1)
	}},
	{"a lost dispute keeps the money", needs{disputable, byRef}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.OK))
		b.Rig.Dispute(t, charge.Ref, false)
		d := b.dispute(t, charge.Ref)
		b.Rig.CloseDispute(t, d.Ref, "lost")
		d.State = providers.DisputeLost
		require.Equal(t, d, b.dispute(t, charge.Ref))
		require.Empty(t, b.Rig.Movements(t, "dispute_reinstated"))
	}},
	{"an inquiry moves no money", needs{inquirable, byRef}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.OK))
		b.Rig.Dispute(t, charge.Ref, true)
		d := b.dispute(t, charge.Ref)
		require.Equal(t, [2]any{providers.DisputeOpen, providers.StageInquiry}, [2]any{d.State, d.Stage})
		require.Zero(t, d.Withdrawn)
		b.Rig.CloseDispute(t, d.Ref, "won")
		require.Equal(t, providers.DisputeWon, b.dispute(t, charge.Ref).State)
		require.Empty(t, b.Rig.Movements(t, "dispute_withdrawn"))
	}},
	{"a callback of a dispute is about the charge", needs{disputable}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.OK))
		b.Rig.Dispute(t, charge.Ref, false)
		var cb providers.Callback
		for cb.Kind != providers.KindDisputed { // the charge itself may have been announced, too
			cb = b.parse(t, b.Rig.NextCallback(t))[0]
		}
		require.Equal(t, charge.Ref, cb.Ref)
	}},
}

// dispute returns the one dispute that a look-up of a charge lists.
func (b *bench) dispute(t *testing.T, chargeRef string) providers.Dispute {
	t.Helper()
	listed := b.since(t, chargeRef).Disputes
	require.Len(t, listed, 1)
	return listed[0]
}

package conformance

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

var disputes = []scenario{
	{"a refund at the dashboard has no reference of ours", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.OK))
		b.Rig.control(t, http.MethodPost, "payments/"+charge.Ref+"/refund", `{}`)
		seen := b.since(t, charge.Ref).Refunds
		require.Len(t, seen, 1)
		require.NotEmpty(t, seen[0].Ref)
		require.Empty(t, seen[0].TransactionID)
		require.Equal(t, b.Price.Amount, seen[0].Amount)
	}},
	{"a dispute withdraws the money until it is won", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.OK))
		require.Empty(t, b.since(t, charge.Ref).Disputes)
		b.Rig.control(t, http.MethodPost, "payments/"+charge.Ref+"/dispute", `{}`)
		d := b.dispute(t, charge.Ref)
		require.Equal(t, providers.Dispute{
			Ref: d.Ref, State: providers.DisputeOpen, Amount: b.Price.Amount, Currency: b.Price.Currency,
			Withdrawn: b.Price.Amount,
		}, d)
		require.Len(t, b.Rig.Movements(t, "dispute_withdrawn"), 1)
		b.Rig.control(t, http.MethodPost, "disputes/"+d.Ref+"/close", `{"status":"won"}`)
		d.State, d.Withdrawn = providers.DisputeWon, 0
		require.Equal(t, d, b.dispute(t, charge.Ref))
		require.Len(t, b.Rig.Movements(t, "dispute_reinstated"), 1)
	}},
	{"a lost dispute keeps the money", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.OK))
		b.Rig.control(t, http.MethodPost, "payments/"+charge.Ref+"/dispute", `{}`)
		d := b.dispute(t, charge.Ref)
		b.Rig.control(t, http.MethodPost, "disputes/"+d.Ref+"/close", `{"status":"lost"}`)
		d.State = providers.DisputeLost
		require.Equal(t, d, b.dispute(t, charge.Ref))
		require.Empty(t, b.Rig.Movements(t, "dispute_reinstated"))
	}},
	{"an inquiry moves no money", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.OK))
		b.Rig.control(t, http.MethodPost, "payments/"+charge.Ref+"/dispute", `{"inquiry":true}`)
		d := b.dispute(t, charge.Ref)
		require.Equal(t, providers.DisputeOpen, d.State)
		require.Zero(t, d.Withdrawn)
		b.Rig.control(t, http.MethodPost, "disputes/"+d.Ref+"/close", `{"status":"won"}`)
		require.Equal(t, providers.DisputeWon, b.dispute(t, charge.Ref).State)
		require.Empty(t, b.Rig.Movements(t, "dispute_withdrawn"))
	}},
	{"callbacks of a dispute are about the charge", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.OK))
		b.Rig.control(t, http.MethodPost, "payments/"+charge.Ref+"/dispute", `{}`)
		for range 2 {
			m := b.Rig.NextCallback(t)
			cb := b.parse(t, m)
			require.Equal(t, providers.KindDisputed, cb.Kind)
			require.Equal(t, charge.Ref, cb.Ref)
		}
	}},
}

// dispute is the one that a look-up of a charge lists.
func (b *bench) dispute(t *testing.T, chargeRef string) providers.Dispute {
	t.Helper()
	listed := b.since(t, chargeRef).Disputes
	require.Len(t, listed, 1)
	return listed[0]
}

package conformance

import (
	"bytes"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

var callbacks = []scenario{
	{"a genuine callback names the charge", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.Pending))
		b.Rig.Settle(t, res.Ref, "succeeded")
		m := b.Rig.NextCallback(t)
		cb := b.parse(t, m)
		require.NotEmpty(t, cb.EventID)
		require.NotEmpty(t, cb.Type)
		require.Equal(t, [2]string{txn, res.Ref}, [2]string{cb.TransactionID, cb.Ref})
		require.Equal(t, providers.Succeeded, b.lookup(t, cb.Ref).Outcome)
	}},
	{"a genuine callback names the refund", func(t *testing.T, b *bench) {
		charge := b.charge(t, b.request(b.Methods.RefundPending))
		res := b.refund(t, b.refundOf(charge.Ref, b.Price.Amount))
		b.Rig.SettleRefund(t, res.Ref, "failed")
		m := b.Rig.NextCallback(t)
		cb := b.parse(t, m)
		require.Equal(t, [2]string{refundTxn, res.Ref}, [2]string{cb.TransactionID, cb.Ref})
	}},
	{"a repeated callback keeps its event ID, another event has another", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.Pending))
		b.Rig.Settle(t, res.Ref, "succeeded")
		first := b.Rig.NextCallback(t)
		b.Rig.Resend(t, res.Ref, "payment_intent.succeeded", "")
		second := b.Rig.NextCallback(t)
		ids := map[string]bool{}
		for _, m := range []providers.CallbackRequest{first, first, second} {
			ids[b.parse(t, m).EventID] = true
		}
		require.Len(t, ids, 2)
	}},
	{"forged and stale callbacks are refused", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.Pending))
		b.Rig.Settle(t, res.Ref, "succeeded")
		genuine := b.Rig.NextCallback(t)
		b.Rig.Resend(t, res.Ref, "payment_intent.succeeded", "whsec_somebody_else")
		foreign := b.Rig.NextCallback(t)
		now := b.Rig.now()
		for name, tc := range map[string]struct {
			header http.Header
			body   []byte
			at     time.Time
		}{
			"another secret": {foreign.Header, foreign.Body, now},
			"another body": {genuine.Header, bytes.Replace(genuine.Body, []byte(`"livemode":false`),
				[]byte(`"livemode":true `), 1), now},
			"one byte more":     {genuine.Header, append(bytes.Clone(genuine.Body), ' '), now},
			"no body":           {genuine.Header, nil, now},
			"no signature":      {http.Header{}, genuine.Body, now},
			"an hour old":       {genuine.Header, genuine.Body, now.Add(time.Hour)},
			"an hour too early": {genuine.Header, genuine.Body, now.Add(-time.Hour)},
		} {
			forged := genuine
			forged.Header, forged.Body = tc.header, tc.body
			_, _, err := b.Provider.ParseCallback(t.Context(), forged, tc.at)
			require.Error(t, err, name)
			require.Equal(t, fault.Unauthorized, fault.From(err).Kind, name)
		}
	}},
}

// parse reads a genuine message that says one thing.
func (b *bench) parse(t *testing.T, m providers.CallbackRequest) providers.Callback {
	t.Helper()
	said, ack, err := b.Provider.ParseCallback(t.Context(), m, b.Rig.now())
	require.NoError(t, err)
	require.NotEmpty(t, ack.ContentType)
	require.Len(t, said, 1)
	return said[0]
}

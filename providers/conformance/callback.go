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
	{"a genuine callback names the charge", always, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.Pending)
		res := b.charge(t, in)
		b.Rig.Settle(t, res.Ref, "succeeded")
		cb := b.parse(t, b.Rig.NextCallback(t))[0]
		require.NotEmpty(t, cb.EventID)
		require.NotEmpty(t, cb.Type)
		require.Equal(t, res.Ref, cb.Ref)
		require.True(t, cb.TransactionID == txn || compact(cb.Key) == compact(in.Key), "%+v", cb)
		if b.can(byRef) {
			require.Equal(t, providers.Succeeded, b.lookup(t, in, cb.Ref).Outcome)
		}
	}},
	{"a genuine callback names the refund", needs{holdsRefunds}, func(t *testing.T, b *bench) {
		charge := b.pay(t, b.request(b.Methods.RefundPending))
		in := b.refundOf(charge.Ref, b.Price.Amount)
		res := b.refund(t, in)
		b.Rig.SettleRefund(t, res.Ref, "failed")
		cb := b.parse(t, b.Rig.NextCallback(t))[0]
		for cb.Ref == charge.Ref { // the message about a charge may come after the look-up that saw its end
			cb = b.parse(t, b.Rig.NextCallback(t))[0]
		}
		require.Equal(t, res.Ref, cb.Ref)
		require.True(t, cb.TransactionID == refundTxn || compact(cb.Key) == compact(in.Key), "%+v", cb)
	}},
	{"a repeated callback keeps its event ID, another event has another", always, func(t *testing.T, b *bench) {
		ids := map[string]bool{}
		for _, transaction := range []string{"txn_1", "txn_2"} {
			res := b.charge(t, b.requestOf(transaction, b.Methods.Pending))
			b.Rig.Settle(t, res.Ref, "succeeded")
			m := b.Rig.NextCallback(t)
			for range 2 {
				ids[b.parse(t, m)[0].EventID] = true
			}
		}
		require.Len(t, ids, 2)
	}},
	{"a forged signature is refused", always, func(t *testing.T, b *bench) {
		b.settled(t)
		b.Rig.Resend(t, txn, "forged")
		b.requireForged(t, "another secret", b.Rig.NextCallback(t), b.Rig.now())
	}},
	{"another amount or reference under a genuine signature is refused", always, func(t *testing.T, b *bench) {
		genuine := b.settled(t)
		for _, lie := range []string{"wrong_amount", "unknown_reference"} {
			body, err := b.Rig.falsify(genuine.Body, lie)
			require.NoError(t, err)
			require.NotEqual(t, genuine.Body, body)
			m := genuine
			m.Body = body
			b.requireForged(t, lie, m, b.Rig.now())
		}
	}},
	{"another body, or none, under a genuine signature is refused", needs{signsBody}, func(t *testing.T, b *bench) {
		genuine := b.settled(t)
		for name, tc := range map[string]struct {
			header http.Header
			body   []byte
		}{
			"one byte more": {genuine.Header, append(bytes.Clone(genuine.Body), ' ')},
			"no body":       {genuine.Header, nil},
			"no signature":  {http.Header{}, genuine.Body},
		} {
			m := genuine
			m.Header, m.Body = tc.header, tc.body
			b.requireForged(t, name, m, b.Rig.now())
		}
	}},
	{"a stale signature is refused", needs{signsTime}, func(t *testing.T, b *bench) {
		genuine := b.settled(t)
		b.requireForged(t, "an hour old", genuine, b.Rig.now().Add(time.Hour))
		b.requireForged(t, "an hour too early", genuine, b.Rig.now().Add(-time.Hour))
		b.Rig.Resend(t, txn, "stale")
		b.requireForged(t, "signed an hour ago", b.Rig.NextCallback(t), b.Rig.now())
	}},
}

// evidence has the scenarios of messages as proof, where the provider cannot be asked.
var evidence = []scenario{
	{"a callback proves the end of a charge", needs{blind}, func(t *testing.T, b *bench) {
		for status, outcome := range map[string][]providers.Outcome{"succeeded": {providers.Succeeded}, "failed": refused} {
			res := b.charge(t, b.requestOf("txn_"+status, b.Methods.Pending))
			b.Rig.Settle(t, res.Ref, status)
			said := b.said(t, "txn_"+status, res.Ref)
			require.Contains(t, outcome, said.Outcome)
			require.Equal(t, res.Ref, said.Ref)
			require.Equal(t, b.Price, priceOf(said))
		}
	}},
	{"a provider that can be asked is asked", needs{byRef}, func(t *testing.T, b *bench) {
		require.Nil(t, b.parse(t, b.settled(t))[0].Evidence)
	}},
}

// settled is the genuine message about a charge that succeeded.
func (b *bench) settled(t *testing.T) providers.CallbackRequest {
	t.Helper()
	res := b.charge(t, b.request(b.Methods.Pending))
	b.Rig.Settle(t, res.Ref, "succeeded")
	m := b.Rig.NextCallback(t)
	b.parse(t, m)
	return m
}

func (b *bench) requireForged(t *testing.T, name string, m providers.CallbackRequest, at time.Time) {
	t.Helper()
	_, _, err := b.Provider.ParseCallback(t.Context(), m, at)
	require.Error(t, err, name)
	require.Equal(t, fault.Unauthorized, fault.From(err).Kind, name)
}

// parse reads a genuine message, which says at least one thing.
func (b *bench) parse(t *testing.T, m providers.CallbackRequest) []providers.Callback {
	t.Helper()
	said, ack, err := b.Provider.ParseCallback(t.Context(), m, b.Rig.now())
	require.NoError(t, err)
	require.NotEmpty(t, ack.ContentType)
	require.NotEmpty(t, said)
	return said
}

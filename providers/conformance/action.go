package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

const returnURL = "https://billing.example/confirm/TOKEN/return"

// Charges that their payer must confirm on a page of the provider.
var actions = []scenario{
	{"a provider that asks payers says so", always, func(t *testing.T, b *bench) {
		can := b.Provider.Capabilities()
		if b.Methods.AsksPayer.Type != "" {
			require.True(t, can.AsksPayer)
		}
		require.Equal(t, can.Completes, len(b.Factory.ReturnParameters()) > 0)
		require.True(t, can.AsksPayer || !can.Completes)
	}},
	{"a charge waits for its payer, who confirms", needs{asksPayer}, func(t *testing.T, b *bench) {
		in, res := b.askPayer(t)
		if b.can(byRef) {
			found := b.lookup(t, in, res.Ref)
			require.Equal(t, providers.Pending, found.Outcome)
			require.Equal(t, res.ConfirmURL, found.ConfirmURL, "a look-up finds the page again")
		}
		b.requireCaptures(t, 0)
		b.Rig.Settle(t, res.Ref, "succeeded")
		found := b.end(t, in, res)
		require.Equal(t, providers.Succeeded, found.Outcome)
		require.Equal(t, b.Price, priceOf(found))
		require.Empty(t, found.ConfirmURL)
		b.requireCaptures(t, 1)
	}},
	{"a payer who refuses ends the charge", needs{asksPayer}, func(t *testing.T, b *bench) {
		in, res := b.askPayer(t)
		b.Rig.Settle(t, res.Ref, "failed")
		require.Contains(t, refused, b.end(t, in, res).Outcome)
		b.requireCaptures(t, 0)
	}},
	{"a repeat asks about the same charge", needs{asksPayer, replay}, func(t *testing.T, b *bench) {
		in, res := b.askPayer(t)
		again := b.charge(t, in)
		require.Equal(t, providers.Pending, again.Outcome)
		require.Equal(t, res.Ref, again.Ref)
		require.NotEmpty(t, again.ConfirmURL)
		b.Rig.Settle(t, res.Ref, "succeeded")
		after := b.charge(t, in)
		require.NotContains(t, refused, after.Outcome, "a repeat after the payer's decision does not undo it")
		b.requireCaptures(t, 1)
	}},
	{"a charge that waits for its payer is canceled", needs{asksPayer, canceled}, func(t *testing.T, b *bench) {
		in, res := b.askPayer(t)
		require.Equal(t, providers.Canceled, b.end(t, in, b.cancel(t, in, res.Ref)).Outcome)
		b.requireCaptures(t, 0)
	}},
	{"nobody is asked without a page to come back to", needs{asksPayer}, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.AsksPayer)
		res := b.charge(t, in)
		require.Contains(t, refused, res.Outcome)
		require.Empty(t, res.ConfirmURL)
	}},
}

// askPayer charges a payer who can be asked, and is.
func (b *bench) askPayer(t *testing.T) (providers.ChargeRequest, providers.Result) {
	t.Helper()
	in := b.request(b.Methods.AsksPayer)
	in.ReturnURL = returnURL
	res := b.charge(t, in)
	require.Equal(t, providers.Pending, res.Outcome)
	require.NotEmpty(t, res.Ref)
	require.NotEmpty(t, res.ConfirmURL)
	require.NotContains(t, string(res.Response), res.ConfirmURL, "what is stored does not lead to the page")
	return in, res
}

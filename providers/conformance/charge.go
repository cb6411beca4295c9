package conformance

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

var charges = []scenario{
	{"a good card is charged once", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.OK))
		require.Equal(t, providers.Succeeded, res.Outcome)
		require.NotEmpty(t, res.Ref)
		require.Equal(t, b.Price, priceOf(res))
		require.Empty(t, res.FailureCode)
		require.Equal(t, 200, res.HTTPStatus)
		require.Contains(t, string(res.Response), res.Ref)
		captures := b.Rig.Movements(t, "capture")
		require.Len(t, captures, 1)
		require.Equal(t, txn, captures[0].TransactionID)
		require.Equal(t, "key-1", captures[0].Key)
		require.Equal(t, "in_00000000000000000000000001", captures[0].Invoice)
	}},
	{"every decline has its code and moves nothing", func(t *testing.T, b *bench) {
		require.NotEmpty(t, b.Declines)
		for i, d := range b.Declines {
			in := b.request(d.Method)
			in.Key = fmt.Sprintf("key-%d", i)
			in.TransactionID = fmt.Sprintf("txn_%d", i)
			res := b.charge(t, in)
			require.Equal(t, providers.Declined, res.Outcome, d.Name)
			require.Equal(t, d.Code, res.FailureCode, d.Name)
			require.NotEmpty(t, res.FailureReason, d.Name)
			require.NotEmpty(t, res.Ref, d.Name)
			found, err := b.Provider.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: in.TransactionID})
			require.NoError(t, err)
			b.clean(t, found)
			require.Equal(t, [3]any{res.Outcome, res.FailureCode, res.Ref}, [3]any{found.Outcome, found.FailureCode, found.Ref},
				"a look-up says the same: %s", d.Name)
		}
		b.requireCaptures(t, 0)
	}},
	{"an unknown payment method is an invalid account", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.Missing))
		require.Equal(t, providers.Declined, res.Outcome)
		require.Equal(t, providers.InvalidAccount, res.FailureCode)
		b.requireCaptures(t, 0)
	}},
	{"a charge that needs the customer is declined and cannot capture later", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.NeedsCustomer))
		require.Equal(t, providers.Declined, res.Outcome)
		require.Contains(t, res.FailureReason, "authenticate")
		require.Len(t, b.Rig.Movements(t, "cancel"), 1)
		again := b.lookup(t, res.Ref)
		require.Equal(t, providers.Declined, again.Outcome, "our clean-up does not turn the decline into a cancel")
		b.requireCaptures(t, 0)
	}},
	{"a pending charge succeeds later", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.Pending))
		require.Equal(t, providers.Pending, res.Outcome)
		require.Equal(t, providers.Pending, b.lookup(t, res.Ref).Outcome)
		b.requireCaptures(t, 0)
		b.Rig.Settle(t, res.Ref, "succeeded")
		for _, ref := range []string{res.Ref, ""} {
			found := b.lookup(t, ref)
			require.Equal(t, providers.Succeeded, found.Outcome)
			require.Equal(t, res.Ref, found.Ref)
			require.Equal(t, b.Price, priceOf(found))
		}
		b.requireCaptures(t, 1)
	}},
	{"a pending charge fails later", func(t *testing.T, b *bench) {
		res := b.charge(t, b.request(b.Methods.Pending))
		b.Rig.Settle(t, res.Ref, "failed")
		found := b.lookup(t, res.Ref)
		require.Contains(t, []providers.Outcome{providers.Declined, providers.Failed}, found.Outcome)
		require.NotEmpty(t, found.FailureReason)
		b.requireCaptures(t, 0)
	}},
	{"amounts are exact in every currency or refused", func(t *testing.T, b *bench) {
		require.NotEmpty(t, b.Prices)
		for i, e := range b.Prices {
			in := b.request(b.Methods.OK)
			in.Key, in.Amount, in.Currency = fmt.Sprintf("key-%d", i), e.Amount, e.Currency
			before := len(b.Rig.Movements(t, "capture"))
			res, err := b.Provider.Charge(t.Context(), in)
			captures := b.Rig.Movements(t, "capture")
			if e.Wire == "" {
				require.Equal(t, fault.Invalid, fault.From(err).Kind, "%v", e)
				require.Len(t, captures, before)
				continue
			}
			require.NoError(t, err)
			require.Equal(t, providers.Succeeded, res.Outcome, "%v: %s", e, res.FailureReason)
			require.Equal(t, e.Price, priceOf(res))
			require.Equal(t, e.Wire, captures[before].WireAmount, "%v", e)
			require.EqualValues(t, e.Amount, captures[before].Amount, "%v", e)
		}
	}},
	{"nothing is charged for nothing", func(t *testing.T, b *bench) {
		for _, amount := range []money.Minor{0, -1} {
			in := b.request(b.Methods.OK)
			in.Amount = amount
			_, err := b.Provider.Charge(t.Context(), in)
			require.Equal(t, fault.Invalid, fault.From(err).Kind)
		}
		b.requireCaptures(t, 0)
	}},
}

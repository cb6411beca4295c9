package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

var charges = []scenario{
	{"a good method is charged once", always, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.OK)
		first := b.charge(t, in)
		require.NotEmpty(t, first.Ref)
		require.Equal(t, 2, first.HTTPStatus/100)
		require.Contains(t, string(first.Response), first.Ref)
		res := b.end(t, in, first)
		require.Equal(t, providers.Succeeded, res.Outcome)
		require.Equal(t, first.Ref, res.Ref)
		require.Equal(t, b.Price, priceOf(res))
		require.Empty(t, res.FailureCode)
		captures := b.Rig.Movements(t, "capture")
		require.Len(t, captures, 1)
		require.Equal(t, txn, captures[0].TransactionID)
		require.Equal(t, compact(in.Key), compact(captures[0].Key))
		require.Equal(t, first.Ref, captures[0].Charge)
		if !b.Protocol.NoInvoice {
			require.Equal(t, invoiceID, captures[0].Invoice)
		}
	}},
	{"every decline has its code and moves nothing", always, func(t *testing.T, b *bench) {
		require.NotEmpty(t, b.Declines)
		for i, d := range b.Declines {
			in := b.requestOf(fmt.Sprintf("txn_%d", i), d.Method)
			res := b.pay(t, in)
			require.Contains(t, refused, res.Outcome, d.Name)
			require.Equal(t, d.Code, res.FailureCode, d.Name)
			require.NotEmpty(t, res.FailureReason, d.Name)
			require.NotEmpty(t, res.Ref, d.Name)
			if b.can(byKey) {
				found := b.lookup(t, in, "")
				require.Equal(t, [3]any{res.Outcome, res.FailureCode, res.Ref},
					[3]any{found.Outcome, found.FailureCode, found.Ref}, "a look-up says the same: %s", d.Name)
			}
		}
		b.requireCaptures(t, 0)
	}},
	{"an unknown payment method is an invalid account", needs{hasMissing}, func(t *testing.T, b *bench) {
		res := b.pay(t, b.request(b.Methods.Missing))
		require.Contains(t, refused, res.Outcome)
		require.Equal(t, providers.InvalidAccount, res.FailureCode)
		b.requireCaptures(t, 0)
	}},
	{"a charge that needs the customer is declined and cannot capture later", needs{asksCustomer},
		func(t *testing.T, b *bench) {
			in := b.request(b.Methods.NeedsCustomer)
			res := b.charge(t, in)
			require.Equal(t, providers.Declined, res.Outcome)
			require.Contains(t, res.FailureReason, "authenticate")
			if b.can(canceled) && b.can(byRef) {
				require.Len(t, b.Rig.Movements(t, "cancel"), 1)
				require.Equal(t, providers.Declined, b.lookup(t, in, res.Ref).Outcome,
					"our clean-up does not turn the decline into a cancel")
			}
			b.requireCaptures(t, 0)
		}},
	{"a pending charge succeeds later", always, func(t *testing.T, b *bench) {
		in := b.request(b.Methods.Pending)
		res := b.charge(t, in)
		require.Equal(t, providers.Pending, res.Outcome)
		if b.can(byRef) {
			require.Equal(t, providers.Pending, b.lookup(t, in, res.Ref).Outcome)
		}
		b.requireCaptures(t, 0)
		b.Rig.Settle(t, res.Ref, "succeeded")
		found := b.end(t, in, res)
		require.Equal(t, providers.Succeeded, found.Outcome)
		require.Equal(t, res.Ref, found.Ref)
		require.Equal(t, b.Price, priceOf(found))
		if b.can(byKey) {
			named := b.lookup(t, in, "")
			require.Equal(t, [2]any{found.Outcome, found.Ref}, [2]any{named.Outcome, named.Ref})
		}
		b.requireCaptures(t, 1)
	}},
	{"a pending charge fails or expires later", always, func(t *testing.T, b *bench) {
		for _, status := range []string{"failed", "expired"} {
			in := b.requestOf("txn_"+status, b.Methods.Pending)
			res := b.charge(t, in)
			b.Rig.Settle(t, res.Ref, status)
			found := b.end(t, in, res)
			require.Contains(t, append(refused, providers.Canceled), found.Outcome, status)
			require.NotEmpty(t, found.FailureReason, status)
		}
		b.requireCaptures(t, 0)
	}},
	{"amounts are exact in every currency or refused", always, func(t *testing.T, b *bench) {
		require.NotEmpty(t, b.Prices)
		for i, e := range b.Prices {
			in := b.requestOf(fmt.Sprintf("txn_%d", i), b.method(e.Currency))
			in.Amount, in.Currency = e.Amount, e.Currency
			before := len(b.Rig.Movements(t, "capture"))
			res, err := b.Provider.Charge(t.Context(), in)
			if e.Wire == "" {
				require.Equal(t, fault.Invalid, fault.From(err).Kind, "%v", e)
				require.Len(t, b.Rig.Movements(t, "capture"), before)
				continue
			}
			require.NoError(t, err, "%v", e)
			res = b.end(t, in, res)
			require.Equal(t, providers.Succeeded, res.Outcome, "%v: %s", e, res.FailureReason)
			require.Equal(t, e.Price, priceOf(res))
			captured := b.Rig.Movements(t, "capture")[before]
			require.Equal(t, e.Wire, captured.WireAmount, "%v", e)
			require.EqualValues(t, e.Amount, captured.Amount, "%v", e)
			require.EqualValues(t, e.Currency, captured.Currency, "%v", e)
		}
	}},
	{"nothing is charged for nothing", always, func(t *testing.T, b *bench) {
		for _, amount := range []money.Minor{0, -1} {
			in := b.request(b.Methods.OK)
			in.Amount = amount
			_, err := b.Provider.Charge(t.Context(), in)
			require.Equal(t, fault.Invalid, fault.From(err).Kind)
		}
		b.requireCaptures(t, 0)
	}},
}

// compact is a key as a protocol may write it: without hyphens, or as a UUID of another version.
func compact(key string) string {
	const version = 12
	key = strings.ReplaceAll(key, "-", "")
	if len(key) > version {
		key = key[:version] + key[version+1:]
	}
	return key
}

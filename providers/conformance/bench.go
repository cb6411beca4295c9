package conformance

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
)

// bench is a subject with the gestures that the scenarios share.
type bench struct{ Subject }

const (
	txn       = "txn_00000000000000000000000001"
	refundTxn = "txn_00000000000000000000000002"
	invoiceID = "in_00000000000000000000000001"
)

// keyOf makes a key as the product does: a UUIDv5.
func keyOf(name string) string { return uuid.NewSHA1(uuid.NameSpaceOID, []byte(name)).String() }

// request is the charge that most scenarios begin with.
func (b *bench) request(m providers.Method) providers.ChargeRequest {
	return b.requestOf(txn, m)
}

func (b *bench) requestOf(transaction string, m providers.Method) providers.ChargeRequest {
	return providers.ChargeRequest{
		TransactionID: transaction, Key: keyOf(transaction), Amount: b.Price.Amount, Currency: b.Price.Currency, Method: m,
		Description: "Invoice " + invoiceID,
	}
}

// method is a good one for a currency.
func (b *bench) method(c money.Currency) providers.Method {
	if b.MethodFor == nil {
		return b.Methods.OK
	}
	return b.MethodFor(c)
}

func (b *bench) charge(t *testing.T, in providers.ChargeRequest) providers.Result {
	t.Helper()
	res, err := b.Provider.Charge(t.Context(), in)
	require.NoError(t, err)
	return b.clean(t, res)
}

// pay charges, and waits for the end if the provider takes its time.
func (b *bench) pay(t *testing.T, in providers.ChargeRequest) providers.Result {
	t.Helper()
	return b.end(t, in, b.charge(t, in))
}

// end returns the outcome of a pending charge: by look-up, or from the provider's message where there is none.
func (b *bench) end(t *testing.T, in providers.ChargeRequest, res providers.Result) providers.Result {
	t.Helper()
	switch {
	case res.Outcome != providers.Pending:
		return res
	case b.can(byRef):
		await(t, func() bool {
			res = b.lookup(t, in, res.Ref)
			return res.Outcome != providers.Pending
		})
		return res
	}
	return b.said(t, in.TransactionID, res.Ref)
}

// said waits for the message that proves the end of an operation.
func (b *bench) said(t *testing.T, transaction, ref string) providers.Result {
	t.Helper()
	for {
		for _, cb := range b.parse(t, b.Rig.NextCallback(t)) {
			if cb.Evidence != nil && (cb.Ref == ref || cb.TransactionID == transaction) {
				return b.clean(t, *cb.Evidence)
			}
		}
	}
}

func (b *bench) can(n need) bool { return n.met(b.Subject) }

func (b *bench) lookup(t *testing.T, in providers.ChargeRequest, ref string) providers.Result {
	t.Helper()
	res, err := b.Provider.LookupCharge(t.Context(), lookupOf(in, ref))
	require.NoError(t, err)
	return b.clean(t, res)
}

func lookupOf(in providers.ChargeRequest, ref string) providers.LookupRequest {
	return providers.LookupRequest{TransactionID: in.TransactionID, Key: in.Key, Ref: ref}
}

// clean checks that a result has no secret or personal data.
func (b *bench) clean(t *testing.T, res providers.Result) providers.Result {
	t.Helper()
	for _, s := range b.Secrets {
		require.False(t, shows(string(res.Response), s), "%s in %s", s, res.Response)
		require.False(t, shows(res.FailureReason, s), "%s in %s", s, res.FailureReason)
	}
	return res
}

// priceOf returns the amount that the provider says it charged or refunded.
func priceOf(res providers.Result) Price { return Price{Amount: res.Amount, Currency: res.Currency} }

// requireCaptures is the verdict of the provider's own books about the usual transaction.
func (b *bench) requireCaptures(t *testing.T, n int) {
	t.Helper()
	require.Len(t, b.Rig.Movements(t, "capture"), n)
	require.Len(t, b.Rig.Captures(t, txn), n)
}

// refused are the outcomes of a charge that the payer's side refused, at once or later.
var refused = []providers.Outcome{providers.Declined, providers.Failed}

// Package conformance owns the promises that every provider adapter must keep, as tests over real HTTP against the
// simulator, with the simulator's ledger as the judge. It does not own what is particular to one adapter: mapping
// tables and wire formats are tested beside the adapter.
package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
)

// Subject is one adapter wired to a simulated provider of its own.
type Subject struct {
	Rig         *Rig
	Factory     providers.Factory
	Provider    providers.Provider
	Unreachable providers.Provider // pointed at a port where nobody listens
	WrongKey    providers.Provider // with credentials that the provider does not know
	Price       Price              // any amount the provider takes
	Prices      []Edge             // where the provider's units differ from ISO's
	Methods     Methods
	Declines    []Decline
	Secrets     []string // must appear in nothing that an adapter returns
}

// Price is an amount with its currency.
type Price struct {
	Amount   money.Minor
	Currency money.Currency
}

// Edge is a price and the amount that must reach the provider for it; empty if the adapter must refuse it.
type Edge struct {
	Price
	Wire string
}

// Decline is a payment method that is refused, and why.
type Decline struct {
	Name   string
	Method providers.Method
	Code   providers.FailureCode
}

// Methods are payment methods by what they make the simulated provider do.
type Methods struct {
	OK             providers.Method
	Pending        providers.Method // until Rig.Settle
	NeedsCustomer  providers.Method // an authentication that nobody is there for
	Missing        providers.Method // a token the provider does not know
	Slow           providers.Method // captures after a moment
	Hang           providers.Method // captures, then never answers
	HangDropped    providers.Method // never answers, captures nothing
	ErrorCaptured  providers.Method // captures, then answers 500
	ErrorDropped   providers.Method // answers 500, captures nothing
	NotProcessed   providers.Method // a documented "not processed"
	RefundPending  providers.Method // captures; its refunds wait for Rig.SettleRefund
	RefundReversed providers.Method // captures; its refunds succeed and can be reversed by Rig.SettleRefund
}

// Run runs the suite. newSubject is called once for each test, which may all run at once.
func Run(t *testing.T, newSubject func(t *testing.T) Subject) {
	t.Helper()
	for _, group := range [][]scenario{
		charges, limits, silences, replays, cancels, refunds, disputes, lookups, callbacks,
	} {
		for _, sc := range group {
			t.Run(sc.name, func(t *testing.T) {
				t.Parallel()
				sc.run(t, &bench{Subject: newSubject(t)})
			})
		}
	}
}

type scenario struct {
	name string
	run  func(t *testing.T, b *bench)
}

// bench is a subject with the gestures that the scenarios share.
type bench struct{ Subject }

const txn = "txn_00000000000000000000000001"

// request is the charge that most scenarios begin with.
func (b *bench) request(m providers.Method) providers.ChargeRequest {
	return providers.ChargeRequest{
		TransactionID: txn, Key: "key-1", Amount: b.Price.Amount, Currency: b.Price.Currency, Method: m,
		Description: "Invoice in_00000000000000000000000001",
	}
}

func (b *bench) charge(t *testing.T, in providers.ChargeRequest) providers.Result {
	t.Helper()
	res, err := b.Provider.Charge(t.Context(), in)
	require.NoError(t, err)
	return b.clean(t, res)
}

func (b *bench) lookup(t *testing.T, ref string) providers.Result {
	t.Helper()
	res, err := b.Provider.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: txn, Ref: ref})
	require.NoError(t, err)
	return b.clean(t, res)
}

// clean checks what must hold of every result: nothing secret or personal is in it.
func (b *bench) clean(t *testing.T, res providers.Result) providers.Result {
	t.Helper()
	for _, s := range b.Secrets {
		require.NotContains(t, string(res.Response), s)
		require.NotContains(t, res.FailureReason, s)
	}
	return res
}

// priceOf is what the provider says it charged or refunded.
func priceOf(res providers.Result) Price { return Price{Amount: res.Amount, Currency: res.Currency} }

// requireCaptures is the verdict of the provider's own books.
func (b *bench) requireCaptures(t *testing.T, n int) {
	t.Helper()
	captures := b.Rig.Movements(t, "capture")
	require.Len(t, captures, n)
	for _, c := range captures {
		require.Equal(t, txn, c.TransactionID)
	}
}

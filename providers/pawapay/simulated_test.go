package pawapay_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers"
	"perennial/providers/pawapay"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/pawapaysim"
	"perennial/providers/simulator/simtest"
)

// Answers that only pawaPay gives: it does not know the outcome itself, or its operator is not available.
func TestCharge_SimulatedRefusals(t *testing.T) {
	t.Parallel()
	for suffix, c := range map[string]struct {
		charge, lookup providers.Outcome
		captures       int
	}{
		"911": {providers.NotSent, providers.NotFound, 0},
		"912": {providers.Unknown, providers.Succeeded, 1},
		"913": {providers.Unknown, providers.NotFound, 0},
		"059": {providers.Pending, providers.Pending, 0},
		"129": {providers.Pending, providers.Pending, 0},
	} {
		sim := simtest.Fresh(t, pawapaysim.New(pawapaysim.Config{}))
		p, err := pawapay.New(pawapay.Config{APIToken: testToken, BaseURL: sim.URL})
		require.NoError(t, err)
		in := providers.ChargeRequest{
			TransactionID: "txn_1", Key: "0b9a1c5e-7a1d-5e0c-9d2f-6a4f5b3c2d1e", Amount: 5000, Currency: "RWF",
			Method: providers.Method{Type: "mobile_money_mtn", PhoneNumber: "+250783456" + suffix},
		}
		res, err := p.Charge(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, c.charge, res.Outcome, suffix)
		sim.Clock.Advance(time.Minute)
		found, err := p.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_1", Key: in.Key})
		require.NoError(t, err)
		require.Equal(t, c.lookup, found.Outcome, suffix)
		require.Len(t, sim.Moved(core.Capture), c.captures, suffix)
	}
}

// One refund of a deposit at a time: the second is refused for now, and goes through later.
func TestRefund_SimulatedQueue(t *testing.T) {
	t.Parallel()
	sim := simtest.Fresh(t, pawapaysim.New(pawapaysim.Config{}))
	p, err := pawapay.New(pawapay.Config{APIToken: testToken, BaseURL: sim.URL})
	require.NoError(t, err)
	charge, err := p.Charge(t.Context(), providers.ChargeRequest{
		TransactionID: "txn_1", Key: "0b9a1c5e-7a1d-5e0c-9d2f-6a4f5b3c2d1e", Amount: 5000, Currency: "RWF",
		Method: providers.Method{Type: "mobile_money_mtn", PhoneNumber: "+250783456789"},
	})
	require.NoError(t, err)
	sim.Clock.Advance(time.Minute)
	back := func(transaction, key string) providers.Result {
		res, err := p.Refund(t.Context(), providers.RefundRequest{
			TransactionID: transaction, Key: key, ChargeRef: charge.Ref, Amount: 2000, Currency: "RWF",
		})
		require.NoError(t, err)
		return res
	}
	const second = "1b9a1c5e-7a1d-5e0c-9d2f-6a4f5b3c2d1e"
	require.Equal(t, providers.Pending, back("txn_2", "2b9a1c5e-7a1d-5e0c-9d2f-6a4f5b3c2d1e").Outcome)
	waits := back("txn_3", second)
	require.Equal(t, providers.NotSent, waits.Outcome)
	require.Positive(t, waits.RetryAfter)
	sim.Clock.Advance(time.Minute)
	require.Equal(t, providers.Pending, back("txn_3", second).Outcome)
}

// A closed operator is known from the configuration, so nothing is sent.
func TestCharge_SimulatedClosedOperator(t *testing.T) {
	t.Parallel()
	sim := simtest.Fresh(t, pawapaysim.New(pawapaysim.Config{}))
	require.Equal(t, 200, sim.Control(t, "PUT", "cards/MTN_MOMO_RWA", `{"behaviour":"closed"}`).Status)
	p, err := pawapay.New(pawapay.Config{APIToken: testToken, BaseURL: sim.URL})
	require.NoError(t, err)
	res, err := p.Charge(t.Context(), providers.ChargeRequest{
		TransactionID: "txn_1", Key: "0b9a1c5e-7a1d-5e0c-9d2f-6a4f5b3c2d1e", Amount: 5000, Currency: "RWF",
		Method: providers.Method{Type: "mobile_money_mtn", PhoneNumber: "+250783456789"},
	})
	require.NoError(t, err)
	require.Equal(t, providers.NotSent, res.Outcome)
	for _, q := range sim.Requests() {
		require.NotEqual(t, "/v2/deposits", q.Path)
	}
}

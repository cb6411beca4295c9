package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// picky is a provider that refuses every charge in one way.
type picky struct {
	*scene.Provider
	result providers.Result
	err    error
}

func (p picky) Charge(context.Context, providers.ChargeRequest) (providers.Result, error) {
	return p.result, p.err
}

func TestCharge_FailureHasReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		result       providers.Result
		err          error
		code, reason string
	}{
		"a method that the provider does not charge": {
			err:  fault.InvalidParam("paymentMethod", "payment_method_unsupported", "Stripe charges cards only"),
			code: "INVALID_ACCOUNT", reason: "Stripe charges cards only",
		},
		"a currency that the provider does not take": {
			err:  fault.InvalidParam("currency", "currency_unsupported", "Stripe does not charge in LYD"),
			code: "DECLINED", reason: "Stripe does not charge in LYD",
		},
		"a request that the provider finds wrong": {
			result: providers.Result{Outcome: providers.Failed, FailureReason: "Amount must be at least 50 cents"},
			code:   "DECLINED", reason: "Amount must be at least 50 cents",
		},
		"not a word": {
			result: providers.Result{Outcome: providers.Declined},
			code:   "DECLINED", reason: "The provider gave no reason.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Begin(t, scene.New(t), scene.Monthly(1000))
			l.Payments.Gateway = scene.Gateway{Only: picky{l.Provider, c.result, c.err}}
			l.Until(scene.Start.AddDate(0, 1, 0))
			require.Contains(t, []payment.Status{payment.Failed, payment.Declined}, l.Last().Status)
			require.Equal(t, c.code, l.Last().FailureCode)
			require.Equal(t, c.reason, l.Last().FailureReason)
			var told string
			require.NoError(t, l.Pool.QueryRow(t.Context(),
				"select data->>'failureCode' from events where type = 'payment.failed' and object_id = $1",
				l.Last().ID).Scan(&told))
			require.Equal(t, c.code, told)
			l.Sound()
		})
	}
}

// A charge was called off and proven absent, and captured after all: the success tells of no failure.
func TestCharge_RecoveredCaptureHasNoFailure(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Lose)
	txn := l.Last()
	l.Perform(life.CancelNow(""))
	l.Until(l.Clock.Now().Add(scene.Window + 3*time.Hour))
	require.Equal(t, payment.Canceled, l.Last().Status)
	require.Equal(t, "The provider never received this payment.", l.Last().FailureReason)

	l.Provider.Settle(txn.ID, providers.Succeeded)
	l.CheckAsked(txn.ID)

	require.Equal(t, txn.ID, l.Last().RecoveredFrom)
	require.Equal(t, payment.Success, l.Last().Status)
	require.Empty(t, l.Last().FailureReason+l.Last().FailureCode)
	l.Sound()
}

// Providers may not know the rules' word for what customers fix, nor the rules theirs: they must be the same.
func TestMethodFault_MatchesRules(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, payment.CodeInvalidAccount, providers.InvalidAccount)
	require.EqualValues(t, payment.CodeDeclined, providers.DeclinedCode)
}

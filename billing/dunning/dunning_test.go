package dunning_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/retry"
)

func TestPolicy_Validate(t *testing.T) {
	t.Parallel()
	changed := func(change func(*dunning.Policy)) dunning.Policy {
		p := dunning.Default()
		change(&p)
		return p
	}
	rule := func(code string) dunning.Policy {
		return changed(func(p *dunning.Policy) { p.Retry.Rules = []retry.Rule{{Code: code, Never: true}} })
	}
	minimums := func(all ...dunning.Minimum) dunning.Policy {
		return changed(func(p *dunning.Policy) { p.Minimums = all })
	}
	for _, p := range []dunning.Policy{
		dunning.Default(),
		changed(func(p *dunning.Policy) { p.CancelAfter(365) }),
		changed(func(p *dunning.Policy) { p.CancelAfter(0) }),
		changed(func(p *dunning.Policy) { p.Final = dunning.Pause }),
		minimums(dunning.Minimum{Currency: "EUR", Amount: 1}, dunning.Minimum{Currency: "XAF", Amount: money.MaxMinor}),
	} {
		require.NoError(t, p.Validate(), p)
	}
	for _, code := range answer.FailureCodes() {
		require.NoError(t, rule(string(code)).Validate(), code)
	}
	for _, c := range []struct {
		policy      dunning.Policy
		param, code string
	}{
		{changed(func(p *dunning.Policy) { p.Retry.Factor = 0 }), "factor", "retry_policy_invalid"},
		{rule("NO_MONEY"), "rules", "failure_code_unknown"},
		{changed(func(p *dunning.Policy) { p.Final = "" }), "finalAction", "final_action_unknown"},
		{changed(func(p *dunning.Policy) { p.Final = dunning.Cancel }), "cancelAfterDays", "cancel_after_days_out_of_range"},
		{changed(func(p *dunning.Policy) { p.CancelAfter(366) }), "cancelAfterDays", "cancel_after_days_out_of_range"},
		{changed(func(p *dunning.Policy) { p.CancelAfter(-1) }), "cancelAfterDays", "cancel_after_days_out_of_range"},
		{changed(func(p *dunning.Policy) { p.CancelAfterDays = 1 }), "cancelAfterDays", "cancel_after_days_out_of_range"},
		{minimums(dunning.Minimum{Currency: "EUR", Amount: 0}), "minimums", "minimum_amount_invalid"},
		{minimums(dunning.Minimum{Currency: "EUR", Amount: money.MaxMinor + 1}), "minimums", "minimum_amount_invalid"},
		{minimums(dunning.Minimum{Currency: "EUR", Amount: 1}, dunning.Minimum{Currency: "EUR", Amount: 2}), "minimums", "minimum_amount_invalid"},
		{minimums(make([]dunning.Minimum, dunning.MaxMinimums+1)...), "minimums", "minimum_amount_invalid"},
		{minimums(dunning.Minimum{Currency: "eur", Amount: 1}), "minimums", "currency_unknown"},
	} {
		f := fault.From(c.policy.Validate())
		require.NotNil(t, f, c)
		require.Equal(t, []string{c.param, c.code}, []string{f.Param, f.Code})
	}
}

// The larger of the policy's and the provider's minimum holds; a currency without one keeps the provider's.
func TestPolicy_Raise(t *testing.T) {
	t.Parallel()
	p := dunning.Policy{Minimums: []dunning.Minimum{{Currency: "USD", Amount: 700}, {Currency: "EUR", Amount: 500}}}
	for _, c := range []struct {
		provider money.Limits
		currency money.Currency
		want     money.Limits
	}{
		{money.Limits{}, "EUR", money.Limits{Minimum: 500}},
		{money.Limits{Minimum: 50, Granularity: 10}, "USD", money.Limits{Minimum: 700, Granularity: 10}},
		{money.Limits{Minimum: 501}, "EUR", money.Limits{Minimum: 501}},
		{money.Limits{Minimum: 50}, "XAF", money.Limits{Minimum: 50}},
	} {
		require.Equal(t, c.want, p.Raise(c.provider, c.currency), c)
	}
}

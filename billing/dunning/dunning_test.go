package dunning_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/dunning"
	"perennial/billing/fault"
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
	for _, p := range []dunning.Policy{
		dunning.Default(),
		changed(func(p *dunning.Policy) { p.CancelAfter(365) }),
		changed(func(p *dunning.Policy) { p.CancelAfter(0) }),
		changed(func(p *dunning.Policy) { p.Final = dunning.Pause }),
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
	} {
		f := fault.From(c.policy.Validate())
		require.NotNil(t, f, c)
		require.Equal(t, []string{c.param, c.code}, []string{f.Param, f.Code})
	}
}

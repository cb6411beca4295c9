package routing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/routing"
)

func TestCheck_NamesTheField(t *testing.T) {
	t.Parallel()
	good := routing.Rule{Country: "CM", Currency: "XAF", Method: "mobile_money_*", MinAmount: 1, MaxAmount: 1,
		AccountID: "pp_1"}
	require.NoError(t, routing.Check([]routing.Rule{good, {AccountID: "pp_1"}, {Method: "*", AccountID: "pp_1"}}))
	for param, change := range map[string]func(r *routing.Rule){
		"rules[1].country":          func(r *routing.Rule) { r.Country = "Cm" },
		"rules[1].currency":         func(r *routing.Rule) { r.Currency = "XXQ" },
		"rules[1].method":           func(r *routing.Rule) { r.Method = "mobile*money" },
		"rules[1].minAmount":        func(r *routing.Rule) { r.MinAmount = -1 },
		"rules[1].maxAmount":        func(r *routing.Rule) { r.MinAmount = 2 },
		"rules[1].providerConfigId": func(r *routing.Rule) { r.AccountID = "" },
	} {
		bad := good
		change(&bad)
		err := routing.Check([]routing.Rule{good, bad})
		require.Error(t, err, param)
		require.Equal(t, param, fault.From(err).Param)
	}
	unknown := routing.Rule{Country: "ZZ", AccountID: "pp_1"}
	require.Equal(t, [2]string{"country_unknown", "rules[0].country"}, func() [2]string {
		f := fault.From(routing.Check([]routing.Rule{unknown}))
		return [2]string{f.Code, f.Param}
	}())
	noCurrency := routing.Rule{MinAmount: 1, AccountID: "pp_1"}
	require.Equal(t, "rules[0].currency", fault.From(routing.Check([]routing.Rule{noCurrency})).Param)
	require.NoError(t, routing.Check([]routing.Rule{{Currency: "XAF", MinAmount: 1, AccountID: "pp_1"}}),
		"without a maximum")
	most := make([]routing.Rule, routing.MaxRules)
	for i := range most {
		most[i].AccountID = "pp_1"
	}
	require.NoError(t, routing.Check(most))
	require.Equal(t, "rules", fault.From(routing.Check(make([]routing.Rule, routing.MaxRules+1))).Param)
}

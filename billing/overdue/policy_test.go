package overdue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/overdue"
)

func TestPolicy_Validate(t *testing.T) {
	t.Parallel()
	late := overdue.State{Name: "late", Days: 5}
	usd := func(n money.Minor) []overdue.Amount { return []overdue.Amount{{Currency: "USD", Amount: n}} }
	most := []overdue.State{{Name: "a", Invoices: 1000}}
	for _, c := range []money.Currency{
		"AED", "AUD", "BRL", "CAD", "CHF", "CNY", "DKK", "EUR", "GBP", "HKD", "INR", "JPY", "KES", "MXN", "NGN", "NOK", "NZD",
		"SEK", "USD", "ZAR",
	} {
		most[0].Amounts = append(most[0].Amounts, overdue.Amount{Currency: c, Amount: 1})
	}
	for _, name := range []string{"b", "c", "d", "e", "f", "g", "h"} {
		most = append(most, overdue.State{Name: name, Days: 1})
	}
	require.True(t, overdue.Policy{}.IsZero())
	require.False(t, overdue.Policy{States: most}.IsZero())
	for _, states := range [][]overdue.State{
		nil, most,
		{late},
		{late, {Name: "blocked", Invoices: 3, Amounts: usd(money.MaxMinor), Any: true, DenyAccess: true}},
		{late, {Name: "a_2", Days: 1, DenyAccess: true}, {Name: "b", Days: 3650, DenyAccess: true, Cancel: true, NeedsPerson: true}},
	} {
		require.NoError(t, overdue.Policy{States: states}.Validate(), states)
	}
	for _, c := range []struct {
		states      []overdue.State
		param, code string
	}{
		{make([]overdue.State, 9), "overduePolicy.states", "overdue_policy_invalid"},
		{[]overdue.State{{Days: 1}}, "overduePolicy.states[0].name", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "Late", Days: 1}}, "overduePolicy.states[0].name", "overdue_policy_invalid"},
		{[]overdue.State{late, late}, "overduePolicy.states[1].name", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "x"}}, "overduePolicy.states[0]", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "x", Days: 3651}}, "overduePolicy.states[0].days", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "x", Days: -1, Invoices: 1}}, "overduePolicy.states[0].days", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "x", Invoices: 1001}}, "overduePolicy.states[0].invoices", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "x", Amounts: usd(0)}}, "overduePolicy.states[0].amounts", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "x", Amounts: usd(money.MaxMinor + 1)}}, "overduePolicy.states[0].amounts", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "x", Amounts: append(usd(1), usd(2)...)}}, "overduePolicy.states[0].amounts", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "x", Amounts: make([]overdue.Amount, 21)}}, "overduePolicy.states[0].amounts", "overdue_policy_invalid"},
		{
			[]overdue.State{{Name: "x", Amounts: []overdue.Amount{{Currency: "usd", Amount: 1}}}}, "overduePolicy.states[0].amounts",
			"currency_unknown",
		},
		{[]overdue.State{{Name: "x", Days: 1, DenyAccess: true}, late}, "overduePolicy.states[1]", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "x", Days: 1, Cancel: true}, late}, "overduePolicy.states[1]", "overdue_policy_invalid"},
		{[]overdue.State{{Name: "x", Days: 1, NeedsPerson: true}, late}, "overduePolicy.states[1]", "overdue_policy_invalid"},
	} {
		f := fault.From(overdue.Policy{States: c.states}.Validate())
		require.NotNil(t, f, c)
		require.Equal(t, []string{c.param, c.code}, []string{f.Param, f.Code}, c)
	}
}

package routing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
	"perennial/billing/routing"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func accounts() []routing.Account {
	return []routing.Account{
		{ID: "pp_c", Provider: "adyen", Priority: 20},
		{ID: "pp_b", Provider: "pawapay", Priority: 10},
		{ID: "pp_a", Provider: "stripe", Primary: true, Priority: 100},
	}
}

func TestRoute(t *testing.T) {
	t.Parallel()
	card := routing.Payment{Currency: "EUR", Method: "card", Amount: 1000}
	momo := routing.Payment{Country: "CM", Currency: "XAF", Method: "mobile_money_mtn", Amount: 500}
	rules := []routing.Rule{
		{Position: 2, Method: "mobile_money_*", AccountID: "pp_c"},
		{Position: 1, Country: "CM", Currency: "XAF", AccountID: "pp_b"},
		{Position: 3, Currency: "EUR", MinAmount: 5000, MaxAmount: 9000, AccountID: "pp_c"},
		{Position: 4, Currency: "EUR", AccountID: "pp_unknown"},
	}
	for name, c := range map[string]struct {
		payment routing.Payment
		change  func(all []routing.Account)
		want    []string
		reasons []string
	}{
		"primary, then backups by priority": {
			card, nil, []string{"pp_a", "pp_b", "pp_c"}, []string{"primary", "backup", "backup"},
		},
		"rules in their order": {
			momo, nil, []string{"pp_b", "pp_c", "pp_a"}, []string{"rule 1", "rule 2", "primary"},
		},
		"by amount": {
			routing.Payment{Currency: "EUR", Method: "card", Amount: 5000}, nil, []string{"pp_c", "pp_a", "pp_b"},
			[]string{"rule 3", "primary", "backup"},
		},
		"above the amount": {
			routing.Payment{Currency: "EUR", Method: "card", Amount: 9001}, nil, []string{"pp_a", "pp_b", "pp_c"}, nil,
		},
		"named by the method": {
			routing.Payment{Country: "CM", Currency: "XAF", Method: "mobile_money_mtn", Amount: 5, Provider: "adyen"}, nil,
			[]string{"pp_c", "pp_b", "pp_a"}, []string{"rule 2", "rule 1", "primary"},
		},
		"named, without a rule": {
			routing.Payment{Currency: "EUR", Method: "card", Amount: 5, Provider: "pawapay"}, nil,
			[]string{"pp_b", "pp_a", "pp_c"}, []string{"named by the payment method", "primary", "backup"},
		},
		"disabled":      {card, func(a []routing.Account) { a[2].Disabled = true }, []string{"pp_b", "pp_c"}, nil},
		"charging stop": {card, func(a []routing.Account) { a[1].Stopped = true }, []string{"pp_a", "pp_c"}, nil},
		"currency not taken": {
			card, func(a []routing.Account) { a[2].Limits.Unchargeable = true }, []string{"pp_b", "pp_c"}, nil,
		},
		"below the minimum": {
			card, func(a []routing.Account) { a[2].Limits.Minimum = 1001 }, []string{"pp_b", "pp_c"}, nil,
		},
		"off the granularity": {
			card, func(a []routing.Account) { a[2].Limits.Granularity = 3 }, []string{"pp_b", "pp_c"}, nil,
		},
		"method not accepted": {
			card, func(a []routing.Account) { a[1].Refuses = "mobile money only" }, []string{"pp_a", "pp_c"}, nil,
		},
		"open breaker": {card, func(a []routing.Account) {
			a[2].Breaker = routing.Breaker{OpenedAt: now, ProbeAt: now.Add(1)}
		}, []string{"pp_b", "pp_c"}, nil},
		"half-open breaker": {card, func(a []routing.Account) {
			a[2].Breaker = routing.Breaker{OpenedAt: now, ProbeAt: now}
		}, []string{"pp_a", "pp_b", "pp_c"}, nil},
	} {
		all := accounts()
		if c.change != nil {
			c.change(all)
		}
		choices, excluded := routing.Route(c.payment, rules, all, now)
		var ids, reasons []string
		for _, choice := range choices {
			ids, reasons = append(ids, choice.AccountID), append(reasons, choice.Reason)
		}
		require.Equal(t, c.want, ids, name)
		require.Len(t, excluded, len(all)-len(choices), name)
		if c.reasons != nil {
			require.Equal(t, c.reasons, reasons, name)
		}
	}
}

func TestRoute_HalfOpenIsAProbe(t *testing.T) {
	t.Parallel()
	all := accounts()
	all[2].Breaker = routing.Breaker{OpenedAt: now.Add(-time.Minute), ProbeAt: now}
	choices, _ := routing.Route(routing.Payment{Currency: "EUR", Amount: 1}, nil, all, now)
	require.True(t, choices[0].Probe)
	require.False(t, choices[1].Probe)
}

func TestExplain_NamesEveryAccount(t *testing.T) {
	t.Parallel()
	all := accounts()
	for i := range all {
		all[i].Stopped = true
	}
	choices, excluded := routing.Route(routing.Payment{Currency: "EUR", Amount: 1}, nil, all, now)
	require.Empty(t, choices)
	require.Equal(t, "No payment provider can take this payment now. It is tried again later. stripe (pp_a): charging is "+
		"paused; pawapay (pp_b): charging is paused; adyen (pp_c): charging is paused.", routing.Explain(excluded))
	require.Contains(t, routing.Explain(nil), "no payment provider")
}

// Every account is either a choice or excluded, once, and no choice breaks its own limits.
func TestRoute_EachAccountOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var all []routing.Account
		for _, id := range []string{"a", "b", "c", "d"}[:rapid.IntRange(0, 4).Draw(t, "accounts")] {
			all = append(all, routing.Account{
				ID: id, Primary: rapid.Bool().Draw(t, "primary"), Priority: rapid.IntRange(0, 2).Draw(t, "priority"),
				Disabled: rapid.Bool().Draw(t, "disabled"), Stopped: rapid.Bool().Draw(t, "stopped"),
				Limits: money.Limits{Minimum: money.Minor(rapid.IntRange(0, 10).Draw(t, "minimum"))},
			})
		}
		var rules []routing.Rule
		for i := range rapid.IntRange(0, 4).Draw(t, "rules") {
			rules = append(rules, routing.Rule{Position: i, AccountID: rapid.SampledFrom([]string{"a", "b", "x"}).Draw(t, "to")})
		}
		p := routing.Payment{Currency: "EUR", Amount: money.Minor(rapid.IntRange(1, 12).Draw(t, "amount"))}
		choices, excluded := routing.Route(p, rules, all, now)
		seen := map[string]int{}
		for _, c := range choices {
			seen[c.AccountID]++
			for _, a := range all {
				if a.ID == c.AccountID && (a.Disabled || a.Stopped || p.Amount < a.Limits.Minimum) {
					t.Fatalf("%s cannot take it", a.ID)
				}
			}
		}
		for _, e := range excluded {
			seen[e.AccountID]++
		}
		for _, a := range all {
			if seen[a.ID] != 1 {
				t.Fatalf("%s is there %d times", a.ID, seen[a.ID])
			}
		}
	})
}

func TestForced(t *testing.T) {
	t.Parallel()
	p := routing.Payment{Currency: "EUR", Method: "card", Amount: 1000}
	for name, c := range map[string]struct {
		change func(all []routing.Account)
		want   string // empty: none
	}{
		"nobody ever takes it": {func(a []routing.Account) {
			a[0].Refuses, a[1].Limits.Unchargeable, a[2].Limits.Minimum = "no", true, 2000
		}, "pp_a"},
		"the others are disabled": {func(a []routing.Account) {
			a[0].Disabled, a[1].Disabled, a[2].Refuses = true, true, "no"
		}, "pp_a"},
		"one is stopped": {func(a []routing.Account) {
			a[0].Stopped, a[1].Refuses, a[2].Refuses = true, "no", "no"
		}, ""},
		"one rests": {func(a []routing.Account) {
			a[0].Breaker = routing.Breaker{OpenedAt: now, ProbeAt: now.Add(1)}
			a[1].Refuses, a[2].Refuses = "no", "no"
		}, ""},
		"one that is stopped would never take it": {func(a []routing.Account) {
			a[0].Stopped, a[0].Refuses, a[1].Refuses, a[2].Refuses = true, "no", "no", "no"
		}, "pp_a"},
		"the first is stopped, and would never take it": {func(a []routing.Account) {
			a[2].Stopped, a[0].Refuses, a[1].Refuses, a[2].Refuses = true, "no", "no", "no"
		}, "pp_b"},
		"all are stopped, and would never take it": {func(a []routing.Account) {
			for i := range a {
				a[i].Stopped, a[i].Refuses = true, "no"
			}
		}, ""},
		"all are disabled": {
			func(a []routing.Account) { a[0].Disabled, a[1].Disabled, a[2].Disabled = true, true, true }, "",
		},
	} {
		all := accounts()
		c.change(all)
		choices, excluded := routing.Route(p, nil, all, now)
		require.Empty(t, choices, name)
		forced, ok := routing.Forced(excluded)
		require.Equal(t, c.want != "", ok, name)
		require.Equal(t, c.want, forced.AccountID, name)
	}
}

func TestWait_IsShortWhereAnAccountRests(t *testing.T) {
	t.Parallel()
	require.Zero(t, routing.Wait(nil))
	require.Zero(t, routing.Wait([]routing.Exclusion{{Cause: routing.Stopped}, {Cause: routing.Never}}))
	require.Equal(
		t, routing.Cooldown, routing.Wait([]routing.Exclusion{{Cause: routing.Stopped}, {Cause: routing.Resting}}),
	)
}

func TestRoute_RuleOfAmounts(t *testing.T) {
	t.Parallel()
	rules := []routing.Rule{{Position: 1, Currency: "XAF", MinAmount: 100, MaxAmount: 500, AccountID: "pp_b"}}
	accounts := []routing.Account{{ID: "pp_a", Primary: true}, {ID: "pp_b"}}
	for amount, want := range map[money.Minor]string{99: "pp_a", 100: "pp_b", 500: "pp_b", 501: "pp_a"} {
		choices, _ := routing.Route(routing.Payment{Currency: "XAF", Amount: amount}, rules, accounts, time.Time{})
		require.Equal(t, want, choices[0].AccountID, amount)
	}
}

func TestTakes(t *testing.T) {
	t.Parallel()
	tens := routing.Account{Limits: money.Limits{Granularity: 10}}
	require.True(t, tens.Takes(routing.Payment{Amount: 20}))
	require.False(t, tens.Takes(routing.Payment{Amount: 21}))
}

func TestCountryOf(t *testing.T) {
	t.Parallel()
	require.Equal(t, "CM", routing.CountryOf("+237670000001"))
	require.Equal(t, "CM", routing.CountryOf("+237"), "no more than the prefix")
	require.Empty(t, routing.CountryOf("+23"))
	require.Equal(t, "RW", routing.CountryOf("250783456789"))
	require.Empty(t, routing.CountryOf("+4917012345"))
	require.Empty(t, routing.CountryOf(""))
}

func TestStops_NamesTheAccounts(t *testing.T) {
	t.Parallel()
	named, ok := routing.Stops([]routing.Exclusion{
		{AccountID: "pp_a", Provider: "stripe", Cause: routing.Stopped},
		{AccountID: "pp_b", Provider: "adyen", Cause: routing.Never},
		{AccountID: "pp_c", Provider: "adyen", Cause: routing.Stopped},
	})
	require.True(t, ok)
	require.Equal(t, "stripe (pp_a), adyen (pp_c)", named)
	_, ok = routing.Stops([]routing.Exclusion{{Cause: routing.OutOfUse}})
	require.False(t, ok)
}

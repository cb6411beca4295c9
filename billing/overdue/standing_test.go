package overdue_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
	"perennial/billing/overdue"
)

const day = 24 * time.Hour

var ladder = overdue.Policy{States: []overdue.State{
	{Name: "warned", Days: 3},
	{Name: "blocked", Days: 7, Invoices: 2, Any: true, DenyAccess: true, NeedsPerson: true},
	{Name: "ended", Days: 30, DenyAccess: true, NeedsPerson: true, Cancel: true},
}}

func owing(amounts ...money.Minor) (d overdue.Debts) {
	for _, a := range amounts {
		d = append(d, overdue.Debt{Currency: "USD", Amount: a, Since: start})
	}
	return d
}

func TestReview_OneLife(t *testing.T) {
	t.Parallel()
	one := owing(100)
	var s overdue.Standing
	for _, c := range []struct {
		after    time.Duration
		debts    overdue.Debts
		state    string
		denied   bool
		canceled bool
		next     time.Duration // after start; 0: never
	}{
		{0, one, "", false, false, 3 * day},
		{3*day - 1, one, "", false, false, 3 * day},
		{3 * day, one, "warned", false, false, 7 * day},
		{4 * day, owing(100, 50), "blocked", true, false, 30 * day},
		{5 * day, one, "warned", false, false, 7 * day}, // the second one is paid
		{7 * day, one, "blocked", true, false, 30 * day},
		{8 * day, nil, "", false, false, 0}, // all is paid
		{9 * day, one, "blocked", true, false, 30 * day},
		{30 * day, one, "ended", true, true, 0},
		{31 * day, one, "ended", true, true, 0},
	} {
		was := s
		s = ladder.Review(s, c.debts, start.Add(c.after))
		require.Equal(t, c.state, s.State, c.after)
		require.Equal(t, []bool{c.denied, c.denied, c.canceled}, []bool{s.AccessDenied, s.NeedsPerson, s.Canceling}, c.after)
		var next time.Time
		if c.next > 0 {
			next = start.Add(c.next)
		}
		require.Equal(t, next, s.NextAt, c.after)
		switch {
		case c.state == "":
			require.Equal(t, overdue.Standing{NextAt: next}, s, "nothing but the next time is kept")
		case was.State == c.state:
			require.Equal(t, was.Since, s.Since, c.after)
		default:
			require.Equal(t, start.Add(c.after), s.Since, c.after)
		}
	}
}

// A cancellation belongs to the beginning of a state: it is done once, and a milder state ends what is left of it.
func TestReview_CancelsOnceAndOnlyForWorse(t *testing.T) {
	t.Parallel()
	two := overdue.Policy{States: []overdue.State{
		{Name: "first", Invoices: 1, Cancel: true}, {Name: "second", Invoices: 2, Cancel: true},
	}}
	s := two.Review(overdue.Standing{}, owing(1), start)
	require.True(t, s.Canceling)
	require.Equal(t, start, s.DueAt(), "at once")
	s.Canceling = false // done
	s = two.Review(s, owing(1), start.Add(day))
	require.False(t, s.Canceling)
	s = two.Review(s, owing(1, 1), start.Add(2*day))
	require.True(t, s.Canceling, "worse")
	s = two.Review(s, owing(1), start.Add(3*day))
	require.Equal(t, "first", s.State)
	require.False(t, s.Canceling, "better: what is left of the cancellation ends")
	s.State = "renamed"
	require.True(t, two.Review(s, owing(1), start.Add(4*day)).Canceling, "a state that the policy does not know is milder")
	s = two.Review(overdue.Standing{}, owing(1), start)
	require.Zero(t, overdue.Policy{}.Review(s, owing(1), start), "no policy")
}

func TestReview_Conditions(t *testing.T) {
	t.Parallel()
	in := func(c money.Currency, a money.Minor) overdue.Debt {
		return overdue.Debt{Currency: c, Amount: a, Since: start}
	}
	sums := []overdue.Amount{{Currency: "USD", Amount: 100}, {Currency: "EUR", Amount: 50}}
	for _, c := range []struct {
		state overdue.State
		debts overdue.Debts
		after time.Duration
		holds bool
	}{
		{overdue.State{Amounts: sums}, overdue.Debts{in("USD", 60), in("USD", 40)}, 0, true},
		{overdue.State{Amounts: sums}, overdue.Debts{in("USD", 99), in("EUR", 49)}, 0, false},
		{overdue.State{Amounts: sums}, overdue.Debts{in("EUR", 50)}, 0, true},
		{overdue.State{Amounts: sums}, overdue.Debts{in("GBP", 1000)}, 0, false},
		{overdue.State{Days: 2, Invoices: 2}, overdue.Debts{in("USD", 1)}, 9 * day, false},
		{overdue.State{Days: 2, Invoices: 2}, overdue.Debts{in("USD", 1), in("EUR", 1)}, day, false},
		{overdue.State{Days: 2, Invoices: 2}, overdue.Debts{in("USD", 1), in("EUR", 1)}, 2 * day, true},
		{overdue.State{Days: 2, Invoices: 2, Any: true}, overdue.Debts{in("USD", 1)}, 2 * day, true},
		{overdue.State{Days: 2, Amounts: sums, Any: true}, overdue.Debts{in("USD", 100)}, 0, true},
		{overdue.State{Days: 2, Invoices: 1, Amounts: sums}, overdue.Debts{in("USD", 99)}, 2 * day, false},
		{overdue.State{Invoices: 2, Any: true}, overdue.Debts{in("USD", 1)}, 9 * day, false},
		{overdue.State{Days: 2, Any: true}, overdue.Debts{in("USD", 1)}, day, false},
		{overdue.State{}, overdue.Debts{in("USD", 1)}, 9 * day, false},
	} {
		c.state.Name = "x"
		got := overdue.Policy{States: []overdue.State{c.state}}.Review(overdue.Standing{}, c.debts, start.Add(c.after))
		require.Equal(t, c.holds, got.State == "x", c)
	}
}

func TestStanding_EqualInEveryField(t *testing.T) {
	t.Parallel()
	full := overdue.Standing{
		State: "ended", Since: start, AccessDenied: true, NeedsPerson: true, Canceling: true, NextAt: start,
		Sums: overdue.Sums{Invoices: 3, Oldest: start, Amounts: []overdue.Amount{{Currency: "USD", Amount: 7}}},
	}
	require.True(t, full.Equal(full))
	for i, change := range []func(*overdue.Standing){
		func(s *overdue.Standing) { s.State = "x" },
		func(s *overdue.Standing) { s.Since = later },
		func(s *overdue.Standing) { s.AccessDenied = false },
		func(s *overdue.Standing) { s.NeedsPerson = false },
		func(s *overdue.Standing) { s.Canceling = false },
		func(s *overdue.Standing) { s.NextAt = later },
		func(s *overdue.Standing) { s.Invoices = 4 },
		func(s *overdue.Standing) { s.Oldest = later },
		func(s *overdue.Standing) { s.Amounts = nil },
	} {
		other := full
		change(&other)
		require.False(t, full.Equal(other), i)
		require.False(t, other.Equal(full), i)
	}
}

// policies draws a valid policy.
func policies(t *rapid.T) overdue.Policy {
	var p overdue.Policy
	effects := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 5).Draw(t, "effects")
	slices.Sort(effects)
	for i, effect := range effects {
		s := overdue.State{
			Name: string(rune('a' + i)), Any: rapid.Bool().Draw(t, "any"), Days: rapid.IntRange(0, 9).Draw(t, "days"),
			Invoices: rapid.IntRange(0, 4).Draw(t, "invoices"), DenyAccess: effect > 0, NeedsPerson: effect > 1, Cancel: effect > 2,
		}
		if a := rapid.IntRange(0, 30).Draw(t, "amount"); a > 0 || s.Days+s.Invoices == 0 {
			s.Amounts = []overdue.Amount{{Currency: "USD", Amount: money.Minor(max(a, 1))}}
		}
		p.States = append(p.States, s)
	}
	require.NoError(t, p.Validate())
	return p
}

func debts(t *rapid.T) (all overdue.Debts) {
	for range rapid.IntRange(0, 6).Draw(t, "debts") {
		all = append(all, overdue.Debt{
			Currency: rapid.SampledFrom([]money.Currency{"USD", "EUR"}).Draw(t, "currency"),
			Amount:   money.Minor(rapid.IntRange(1, 20).Draw(t, "amount")),
			Since:    start.Add(time.Duration(rapid.IntRange(0, 240).Draw(t, "since")) * time.Hour),
		})
	}
	return all
}

func rank(p overdue.Policy, s overdue.Standing) int {
	return slices.IndexFunc(p.States, func(o overdue.State) bool { return o.Name == s.State })
}

func TestReview_Laws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p, all := policies(t), debts(t)
		now := start.Add(time.Duration(rapid.IntRange(0, 500).Draw(t, "now")) * time.Hour)
		s := p.Review(overdue.Standing{}, all, now)

		shuffled := rapid.Permutation(all).Draw(t, "order")
		require.True(t, s.Equal(p.Review(overdue.Standing{}, shuffled, now)), "the order of debts does not matter")

		if len(all) > 0 {
			less := p.Review(s, all[1:], now)
			require.LessOrEqual(t, rank(p, less), rank(p, s), "a payment makes nothing worse")
			require.False(t, less.Canceling && !s.Canceling, "a payment cancels nothing")
		}
		require.Empty(t, p.Review(s, nil, now).State, "nothing overdue, no state")

		s.Canceling = false // done
		again := p.Review(s, all, now)
		require.True(t, s.Equal(again), "a second review changes nothing, and cancels nothing twice")

		require.True(t, s.NextAt.IsZero() || s.NextAt.After(now))
		for hour := range 600 { // every condition changes at a full hour
			at := now.Add(time.Duration(hour) * time.Hour)
			changed := rank(p, p.Review(s, all, at)) > rank(p, s)
			require.Equal(t, !s.NextAt.IsZero() && !at.Before(s.NextAt), changed,
				"worse from the announced time on, and not before: %s, %s", at, s.NextAt)
		}
	})
}

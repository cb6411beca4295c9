package retry_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/retry"
)

const day = 24 * time.Hour

var failedAt = time.Date(2026, time.March, 28, 9, 0, 0, 0, time.UTC)

// failed is a failure at failedAt in a period that ends at boundary.
func failed(boundary time.Time) retry.Failure { return retry.Failure{At: failedAt, Boundary: boundary} }

func TestDefault_RetriesAfterOneTwoAndFourDays(t *testing.T) {
	t.Parallel()
	p := retry.Default()
	require.NoError(t, p.Validate())
	require.Equal(t, 3, p.Retries)
	at := failedAt
	for n, want := range []string{"2026-03-29T09:00:00Z", "2026-03-31T09:00:00Z", "2026-04-04T09:00:00Z"} {
		at = p.At(retry.Failure{At: at}, n+1, "")
		require.Equal(t, want, at.Format(time.RFC3339))
	}
}

func TestGap(t *testing.T) {
	t.Parallel()
	steep := retry.Policy{Base: day, Factor: 10, Retries: 10}
	for _, c := range []struct {
		name   string
		policy retry.Policy
		retry  int
		want   time.Duration
	}{
		{"first", retry.Default(), 1, day},
		{"second", retry.Default(), 2, 2 * day},
		{"third", retry.Default(), 3, 4 * day},
		{"no fourth", retry.Default(), 4, 0},
		{"no zeroth", retry.Default(), 0, 0},
		{"negative", retry.Default(), -1, 0},
		{"even", retry.Policy{Base: 3 * day, Factor: 1, Retries: 5}, 5, 3 * day},
		{"below a year", steep, 3, 100 * day},
		{"never more than a year", steep, 4, 366 * day},
		{"does not overflow", steep, 10, 366 * day},
		// 22,500 days by 150 do not fit a time.Duration.
		{"does not overflow with a factor that is not valid", retry.Policy{Base: day, Factor: 150, Retries: 4}, 4, 366 * day},
		{"a base beyond a year", retry.Policy{Base: math.MaxInt64, Factor: 10, Retries: 2}, 1, 366 * day},
		{"no factor", retry.Policy{Base: day, Retries: 2}, 2, 0},
		{"listed", retry.List(3*day, 5*day, day), 2, 5 * day},
		{"a list may shrink", retry.List(3*day, 5*day, day), 3, day},
		{"no more than listed", retry.List(3 * day), 2, 0},
	} {
		require.Equal(t, c.want, c.policy.Gap(c.retry), c.name)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	ok := retry.Default()
	change := func(f func(*retry.Policy)) retry.Policy {
		p := ok
		f(&p)
		return p
	}
	for _, p := range []retry.Policy{
		ok,
		change(func(p *retry.Policy) { p.Retries = 0 }),
		change(func(p *retry.Policy) { p.MaxJitter = 0 }),
		change(func(p *retry.Policy) { p.Base = time.Minute }),
		change(func(p *retry.Policy) { p.Factor, p.Retries = 1, 10 }),
		{Base: 30 * day, Factor: 10, Retries: 2, MaxJitter: time.Hour}, // 330 days
		retry.List(366 * day),
		retry.List(365*day, day),
		retry.List(),
		retry.List(day, time.Minute, 100*day),
		ruled(retry.Rule{Code: "A", Never: true}, retry.Rule{Code: "B", DayOfMonth: 31}),
	} {
		require.NoError(t, p.Validate(), p)
	}
	for _, c := range []struct {
		param  string
		policy retry.Policy
	}{
		{"base", retry.Policy{}},
		{"base", change(func(p *retry.Policy) { p.Base = time.Minute - 1 })},
		{"base", change(func(p *retry.Policy) { p.Base = -day })},
		{"factor", change(func(p *retry.Policy) { p.Factor = 0 })},
		{"factor", change(func(p *retry.Policy) { p.Factor = 11 })},
		{"retries", change(func(p *retry.Policy) { p.Retries = -1 })},
		{"retries", change(func(p *retry.Policy) { p.Retries = 11 })},
		{"retries", change(func(p *retry.Policy) { p.Retries = 9 })}, // 511 days
		{"base", change(func(p *retry.Policy) { p.Base = math.MaxInt64 })},
		{"base", change(func(p *retry.Policy) { p.Base = 30*day + time.Second })},
		{"base", change(func(p *retry.Policy) { p.Base = day + 1 })},
		{"gaps", change(func(p *retry.Policy) { p.Gaps = []time.Duration{day} })},
		{"gaps", retry.List(day, time.Minute-1)},
		{"gaps", retry.List(day + 1)},
		{"gaps", retry.List(300*day, 67*day)},
		{"rules", ruled(retry.Rule{Code: "A"})},
		{"rules", ruled(retry.Rule{Code: "A", Never: true, DayOfMonth: 1})},
		{"rules", ruled(retry.Rule{Code: "A", DayOfMonth: 32})},
		{"rules", ruled(retry.Rule{Code: "A", DayOfMonth: -1})},
		{"rules", ruled(retry.Rule{Code: "A", Never: true}, retry.Rule{Code: "A", DayOfMonth: 2})},
		{"maxJitter", change(func(p *retry.Policy) { p.MaxJitter = -1 })},
		{"maxJitter", change(func(p *retry.Policy) { p.MaxJitter = -time.Second })},
		{"maxJitter", change(func(p *retry.Policy) { p.MaxJitter = time.Hour + time.Second })},
		{"gaps", retry.List(59 * time.Second)},
		{"maxJitter", change(func(p *retry.Policy) { p.MaxJitter = time.Hour + 1 })},
		{"maxJitter", change(func(p *retry.Policy) { p.MaxJitter = time.Second + 1 })},
	} {
		err := c.policy.Validate()
		require.Error(t, err, c.policy)
		f := fault.From(err)
		require.Equal(t, []string{string(fault.Invalid), "retry_policy_invalid", c.param},
			[]string{string(f.Kind), f.Code, f.Param})
	}
}

// ruled is the default with rules for failure codes.
func ruled(rules ...retry.Rule) retry.Policy {
	p := retry.Default()
	p.Rules = rules
	return p
}

func TestAllows_ByFailureCode(t *testing.T) {
	t.Parallel()
	p := ruled(retry.Rule{Code: "ACCOUNT_BLOCKED", Never: true}, retry.Rule{Code: "INSUFFICIENT_FUNDS", DayOfMonth: 25})
	for n, want := range map[int]bool{0: false, 1: true, 3: true, 4: false} {
		require.Equal(t, want, p.Allows(n, "DECLINED"), n)
		require.Equal(t, want, p.Allows(n, "INSUFFICIENT_FUNDS"), n)
		require.False(t, p.Allows(n, "ACCOUNT_BLOCKED"), n)
	}
}

func TestAt_WaitsForDayOfMonth(t *testing.T) {
	t.Parallel()
	p := ruled(retry.Rule{Code: "INSUFFICIENT_FUNDS", DayOfMonth: 25})
	f := retry.Failure{Code: "INSUFFICIENT_FUNDS", At: failedAt}
	require.Equal(t, "2026-04-25T09:00:00Z", p.At(f, 1, "").Format(time.RFC3339))
	f.Boundary = time.Date(2026, time.April, 25, 9, 0, 1, 0, time.UTC)
	require.Equal(t, "2026-04-25T09:00:00Z", p.At(f, 1, "seed").Format(time.RFC3339), "jitter stays before the boundary")
	f.Code = "DECLINED"
	require.Equal(t, failedAt.Add(day), p.At(f, 1, ""), "other codes do not wait")
}

func TestJitter(t *testing.T) {
	t.Parallel()
	p := retry.Default()
	due := failedAt.Add(day)

	require.Equal(t, due, p.At(failed(time.Time{}), 1, ""), "no seed, no jitter")
	first := p.At(failed(time.Time{}), 1, "in_1")
	require.Equal(t, first, p.At(failed(time.Time{}), 1, "in_1"), "the same seed gives the same time")
	require.NotEqual(t, first.Sub(due), p.At(failed(time.Time{}), 2, "in_1").Sub(failedAt.Add(2*day)),
		"each retry has its own")

	short := map[time.Duration]bool{}
	for i := range 100 {
		one := retry.Policy{Base: day, Factor: 1, Retries: 1, MaxJitter: time.Second}
		short[one.At(failed(time.Time{}), 1, strconv.Itoa(i)).Sub(due)] = true
	}
	require.Equal(t, map[time.Duration]bool{0: true, time.Second: true}, short, "both ends occur")

	seen := map[time.Duration]bool{}
	for i := range 1000 {
		jitter := p.At(failed(time.Time{}), 1, "in_"+strconv.Itoa(i)).Sub(due)
		require.True(t, jitter >= 0 && jitter <= time.Hour && jitter%time.Second == 0, jitter)
		seen[jitter/(6*time.Minute)] = true
	}
	require.GreaterOrEqual(t, len(seen), 10, "a crowd spreads over the whole hour")
}

func TestJitter_StaysBeforeBoundary(t *testing.T) {
	t.Parallel()
	p := retry.Default()
	due := failedAt.Add(day)
	for i := range 100 {
		at := p.At(failed(due.Add(10*time.Second)), 1, strconv.Itoa(i))
		require.True(t, !at.Before(due) && at.Before(due.Add(10*time.Second)), at)
	}
	for name, boundary := range map[string]time.Time{"at once": due.Add(1), "within a second": due.Add(time.Second)} {
		require.Equal(t, due, p.At(failed(boundary), 1, "seed"), name)
	}
	// A gap that reaches the boundary alone is kept: the next period has begun, and its jitter is free again.
	for _, boundary := range []time.Time{due, due.Add(-time.Hour)} {
		require.Equal(t, p.At(failed(time.Time{}), 1, "seed"), p.At(failed(boundary), 1, "seed"))
	}
}

func TestGap_GrowsAndStaysBeforeBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := retry.Policy{
			Base:      time.Duration(rapid.Int64Range(int64(time.Minute), int64(30*day)).Draw(t, "base")),
			Factor:    rapid.IntRange(1, 10).Draw(t, "factor"),
			Retries:   rapid.IntRange(0, 10).Draw(t, "retries"),
			MaxJitter: time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "jitter")),
		}
		seed := rapid.StringMatching(`[a-z0-9_]{0,8}`).Draw(t, "seed")
		at, gap := failedAt, time.Duration(0)
		for n := 1; n <= p.Retries; n++ {
			boundary := at.Add(time.Duration(rapid.Int64Range(1, int64(400*day)).Draw(t, "boundary")))
			due, next := at.Add(p.Gap(n)), p.At(retry.Failure{At: at, Boundary: boundary}, n, seed)
			require.GreaterOrEqual(t, p.Gap(n), gap, "gaps never shrink")
			require.True(t, next.After(at), "a retry is later than the attempt before")
			require.True(t, next.Sub(due) >= 0 && next.Sub(due) <= p.MaxJitter)
			if due.Before(boundary) {
				require.True(t, next.Before(boundary), "jitter does not cross the boundary")
			}
			at, gap = next, p.Gap(n)
		}
	})
}

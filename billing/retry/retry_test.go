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

func TestDefault_RetriesAfterOneTwoAndFourDays(t *testing.T) {
	t.Parallel()
	p := retry.Default()
	require.NoError(t, p.Validate())
	require.Equal(t, 3, p.Retries)
	at := failedAt
	for retry, want := range []string{"2026-03-29T09:00:00Z", "2026-03-31T09:00:00Z", "2026-04-04T09:00:00Z"} {
		at = p.At(at, retry+1, "", time.Time{})
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
		{"a base beyond a year", retry.Policy{Base: math.MaxInt64, Factor: 10, Retries: 2}, 1, 366 * day},
		{"no factor", retry.Policy{Base: day, Retries: 2}, 2, 0},
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
		{"maxJitter", change(func(p *retry.Policy) { p.MaxJitter = -1 })},
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

func TestJitter(t *testing.T) {
	t.Parallel()
	p := retry.Default()
	due := failedAt.Add(day)

	require.Equal(t, due, p.At(failedAt, 1, "", time.Time{}), "no seed, no jitter")
	first := p.At(failedAt, 1, "in_1", time.Time{})
	require.Equal(t, first, p.At(failedAt, 1, "in_1", time.Time{}), "the same seed gives the same time")
	require.NotEqual(t, first.Sub(due), p.At(failedAt, 2, "in_1", time.Time{}).Sub(failedAt.Add(2*day)),
		"each retry has its own")

	short := map[time.Duration]bool{}
	for i := range 100 {
		one := retry.Policy{Base: day, Factor: 1, Retries: 1, MaxJitter: time.Second}
		short[one.At(failedAt, 1, strconv.Itoa(i), time.Time{}).Sub(due)] = true
	}
	require.Equal(t, map[time.Duration]bool{0: true, time.Second: true}, short, "both ends occur")

	seen := map[time.Duration]bool{}
	for i := range 1000 {
		jitter := p.At(failedAt, 1, "in_"+strconv.Itoa(i), time.Time{}).Sub(due)
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
		at := p.At(failedAt, 1, strconv.Itoa(i), due.Add(10*time.Second))
		require.True(t, !at.Before(due) && at.Before(due.Add(10*time.Second)), at)
	}
	for name, boundary := range map[string]time.Time{"at once": due.Add(1), "within a second": due.Add(time.Second)} {
		require.Equal(t, due, p.At(failedAt, 1, "seed", boundary), name)
	}
	// What the gap itself reaches is kept: the next period has begun, and its jitter is free again.
	for _, boundary := range []time.Time{due, due.Add(-time.Hour)} {
		require.Equal(t, p.At(failedAt, 1, "seed", time.Time{}), p.At(failedAt, 1, "seed", boundary))
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
		for retry := 1; retry <= p.Retries; retry++ {
			boundary := at.Add(time.Duration(rapid.Int64Range(1, int64(400*day)).Draw(t, "boundary")))
			due, next := at.Add(p.Gap(retry)), p.At(at, retry, seed, boundary)
			require.GreaterOrEqual(t, p.Gap(retry), gap, "gaps never shrink")
			require.True(t, next.After(at), "a retry is later than the attempt before")
			require.True(t, next.Sub(due) >= 0 && next.Sub(due) <= p.MaxJitter)
			if due.Before(boundary) {
				require.True(t, next.Before(boundary), "jitter does not cross the boundary")
			}
			at, gap = next, p.Gap(retry)
		}
	})
}

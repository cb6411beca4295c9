package quota_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/internal/quota"
)

var begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestTake_GrantsABurstAndThenTheRate(t *testing.T) {
	t.Parallel()
	q := quota.New(quota.Limit{PerSecond: 10, Burst: 3})
	for left := 2; left >= 0; left-- {
		g := q.Take("k", begin)
		require.True(t, g.OK)
		require.Equal(t, left, g.Left)
	}
	refused := q.Take("k", begin)
	require.False(t, refused.OK)
	require.Equal(t, 100*time.Millisecond, refused.Wait)
	require.True(t, q.Take("another", begin).OK, "keys do not share")
	require.False(t, q.Take("k", begin.Add(99*time.Millisecond)).OK)
	require.True(t, q.Take("k", begin.Add(101*time.Millisecond)).OK)
	require.False(t, q.Take("k", begin.Add(-time.Hour)).OK, "a clock that is set back grants nothing")
	full := q.Take("k", begin.Add(time.Hour))
	require.Equal(t, 2, full.Left, "a pause earns no more than a burst")
}

// shared is the bucket of one key that all processes share, as the database keeps it.
type shared struct {
	tokens float64
	at     time.Time
	limit  quota.Limit
}

func (s *shared) spend(now time.Time, spent quota.Spent) float64 {
	burst, rate, passed := float64(s.limit.Burst), float64(s.limit.PerSecond), now.Sub(s.at).Seconds()
	within := math.Min(passed, spent.Within.Seconds())
	s.tokens = math.Min(burst, s.tokens+(passed-within)*rate)
	s.tokens = math.Max(-10*burst, math.Min(burst, s.tokens+within*rate-float64(spent.Requests)))
	s.at = now
	return s.tokens
}

// TestShare_ProcessesTogetherKeepTheLimit sends more requests than allowed through several processes, in a stream or
// with pauses. They share every fifth of a second, and over a minute they together keep to the limit, apart from the
// burst, which each may grant once.
func TestShare_ProcessesTogetherKeepTheLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := quota.Limit{PerSecond: rapid.IntRange(20, 200).Draw(t, "a second")}
		limit.Burst = 2 * limit.PerSecond
		processes := make([]*quota.Quota, rapid.IntRange(1, 8).Draw(t, "processes"))
		for i := range processes {
			processes[i] = quota.New(limit)
		}
		all := &shared{tokens: float64(limit.Burst), at: begin, limit: limit}
		every := time.Second / time.Duration(2*limit.PerSecond) // twice the limit, to each process
		now, granted, last := begin, 0, begin
		pause := time.Duration(rapid.IntRange(0, 3).Draw(t, "pause")) * time.Second // after each five seconds
		for now.Before(begin.Add(time.Minute)) {
			for _, q := range processes {
				if q.Take("k", now).OK {
					granted++
				}
			}
			if now.Sub(last) >= 200*time.Millisecond {
				last = now
				for _, q := range processes {
					require.NoError(t, q.Share(context.Background(), func() time.Time { return now },
						func(_ context.Context, spent map[string]quota.Spent) (map[string]float64, error) {
							return map[string]float64{"k": all.spend(now, spent["k"])}, nil
						}))
				}
			}
			if now = now.Add(every); pause > 0 && now.Sub(begin)%(5*time.Second) < every {
				now = now.Add(pause)
			}
		}
		want := 60 * limit.PerSecond
		if pause == 0 {
			require.GreaterOrEqual(t, granted, want*9/10)
		}
		require.LessOrEqual(t, granted, want*11/10+len(processes)*limit.Burst)
	})
}

func TestShare_WhatWasNotToldIsToldAgain(t *testing.T) {
	t.Parallel()
	q := quota.New(quota.Limit{PerSecond: 1, Burst: 10})
	now := func() time.Time { return begin }
	tell := func(want int, left float64, err error) error {
		called := false
		got := q.Share(t.Context(), now, func(_ context.Context, spent map[string]quota.Spent) (map[string]float64, error) {
			called = true
			require.Equal(t, map[string]quota.Spent{"k": {Requests: want}}, spent)
			return map[string]float64{"k": left}, err
		})
		require.Equal(t, want > 0, called)
		return got
	}
	require.NoError(t, tell(0, 0, nil), "nothing to tell")
	q.Take("k", begin)
	q.Take("k", begin)
	away := errors.New("away")
	require.ErrorIs(t, tell(2, 0, away), away)
	require.NoError(t, tell(2, 1, nil))
	require.True(t, q.Take("k", begin).OK)
	require.False(t, q.Take("k", begin).OK, "others have spent the rest")
}

// A report that comes late is not held against a key that kept its rate, and a pause before it earns no second burst.
func TestShare_ALateReport(t *testing.T) {
	t.Parallel()
	limit := quota.Limit{PerSecond: 10, Burst: 20}
	all, q, now := &shared{tokens: 20, at: begin, limit: limit}, quota.New(limit), begin
	share := func() {
		require.NoError(t, q.Share(t.Context(), func() time.Time { return now },
			func(_ context.Context, spent map[string]quota.Spent) (map[string]float64, error) {
				return map[string]float64{"k": all.spend(now, spent["k"])}, nil
			}))
	}
	for range 50 {
		require.True(t, q.Take("k", now).OK)
		now = now.Add(100 * time.Millisecond)
	}
	share()
	require.Equal(t, 19, q.Take("k", now).Left)
	share()
	now = now.Add(time.Hour)
	for range 20 {
		require.True(t, q.Take("k", now).OK)
	}
	share()
	require.False(t, q.Take("k", now).OK)
}

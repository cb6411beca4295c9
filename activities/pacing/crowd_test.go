package pacing_test

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"perennial/activities/pacing"
	"perennial/billing/charging"
)

// crowd has requests that return for their promised turns, earliest first.
type crowd []request

type request struct {
	at       time.Time
	promised time.Time // its turn; zero: it was promised none
	poll     bool

	account string // empty: pp_1
}

func (c crowd) Len() int { return len(c) }

func (c crowd) Less(i, j int) bool { return c[i].at.Before(c[j].at) }

func (c crowd) Swap(i, j int) { c[i], c[j] = c[j], c[i] }

func (c *crowd) Push(x any) { *c = append(*c, x.(request)) } //nolint:forcetypeassert // only ours

func (c *crowd) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// lateness is by how much timers and activities are later than they were asked for.
const lateness = 300 * time.Millisecond

// serve lets all have their turns at an account with a limit of 10 a second. A poll that had its turn comes again after
// pollGap; zero: it does not. It returns how often turns were asked for, and when the last that is no poll had its own.
func (c crowd) serve(
	t *testing.T, start time.Time, pollGap time.Duration,
) (asked int, lastSend time.Duration, polled int) {
	t.Helper()
	now := start
	p := &pacing.Pacer{
		Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return 1, nil },
		Sleepers: 3, // of 24 slots
	}
	heap.Init(&c)
	spread := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same each time
	sends := 0
	for _, one := range c {
		if !one.poll {
			sends++
		}
	}
	for len(c) > 0 && (sends > 0 || pollGap == 0) {
		one := heap.Pop(&c).(request) //nolint:forcetypeassert // only ours
		now = one.at
		require.Less(t, now.Sub(start), 24*time.Hour, "somebody never has a turn")
		asked++
		var wait time.Duration
		var mine bool
		if one.poll {
			wait, mine = takePoll(p, cmp.Or(one.account, "pp_1"), 10)
		} else {
			wait, mine = takePromised(p, cmp.Or(one.account, "pp_1"), 10, one.promised)
		}
		switch {
		case !mine:
			one.promised = now.Add(wait)
			one.at = one.promised.Add(time.Duration(spread.Int64N(int64(lateness))))
			heap.Push(&c, one)
		case one.poll:
			polled++
			if one.at = now.Add(pollGap); pollGap > 0 {
				heap.Push(&c, one)
			}
		default:
			sends--
			lastSend = now.Add(wait).Sub(start)
		}
	}
	return asked, lastSend, polled
}

// A crowd behind a slow account asks little more often than it has requests, and uses the limit, also while others
// come.
func TestPacing_ACrowdComesWhenItsTurnIs(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_700_000_000, 0)
	for _, n := range []int{100, 5_000, 20_000} {
		for _, newcomers := range []int{0, 3} { // a second
			var c crowd
			for range n {
				c = append(c, request{at: start})
			}
			for i := range newcomers * n / 10 {
				c = append(c, request{at: start.Add(time.Duration(i) * time.Second / time.Duration(newcomers))})
			}
			all := len(c)
			asked, last, _ := c.serve(t, start, 0)
			used := float64(all) / 10 / last.Seconds()
			t.Logf("%d requests, and %d a second beside them: asked %d times, through after %s: %.0f %% of the limit",
				n, newcomers, asked, last, used*100)
			require.Less(t, asked, all*5)
			assert.Greater(t, used, 0.9)
		}
	}
}

// Crowds behind many accounts share the few places for requests that wait for a turn. A request that finds no place
// comes again, so that some turns are left unused, but most are used.
func TestPacing_ManyCrowdsWaitInFewPlaces(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_700_000_000, 0)
	for accounts, least := range map[int]float64{2: 0.9, 5: 0.8, 20: 0.7} {
		var c crowd
		for i := range 1_000 * accounts {
			c = append(c, request{at: start, account: fmt.Sprintf("pp_%d", i%accounts)})
		}
		asked, last, _ := c.serve(t, start, 0)
		used := 100 / last.Seconds()
		t.Logf("%d accounts, 1,000 requests each: asked %d times, %.0f %% of each limit", accounts, asked/accounts, used*100)
		require.Less(t, asked, len(c)*5)
		assert.Greater(t, used, least)
	}
}

// However many come late for their turns, at most so many wait on the spot; the others come again.
func TestPacing_FewWaitOnTheSpot(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	p := &pacing.Pacer{
		Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return 1, nil }, Sleepers: 2,
	}
	wait := func(account string) (d time.Duration, mine bool) { return takePromised(p, account, 10, now) }
	for _, account := range []string{"pp_1", "pp_2", "pp_3"} {
		d, mine := wait(account)
		require.Equal(t, [2]any{time.Duration(0), true}, [2]any{d, mine})
	}
	for _, account := range []string{"pp_1", "pp_2"} {
		d, mine := wait(account)
		require.Equal(t, [2]any{100 * time.Millisecond, true}, [2]any{d, mine})
	}
	for _, account := range []string{"pp_1", "pp_3"} {
		d, mine := wait(account)
		require.Less(t, d, charging.ShortTurn)
		require.False(t, mine, account)
	}
	now = now.Add(100 * time.Millisecond)
	d, mine := wait("pp_3")
	require.Equal(t, [2]any{time.Duration(0), true}, [2]any{d, mine})
	_, mine = wait("pp_3")
	require.True(t, mine, "the places are free again")
}

// While turns are promised, a first send without a promise does not take one, however often such sends come. A request
// with a promise finds its turn, and keeps it where something else wakes it before.
func TestPacing_PromisedTurnsAreKept(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	p := &pacing.Pacer{
		Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return 1, nil },
	}
	require.Zero(t, take(p, "pp_1", 1))
	var turns []time.Time
	for range 10 {
		turns = append(turns, now.Add(take(p, "pp_1", 1)))
	}
	for _, turn := range turns[:9] {
		now = turn
		require.NotZero(t, take(p, "pp_1", 1), "a newcomer")
		last := turns[9]
		wait, mine := takePromised(p, "pp_1", 1, last)
		require.Equal(t, [2]any{last.Sub(now), false}, [2]any{wait, mine}, "it comes early")
		wait, mine = takePromised(p, "pp_1", 1, turn)
		require.Equal(t, [2]any{time.Duration(0), true}, [2]any{wait, mine}, "its turn")
	}
}

// Accepted payments that are polled again and again do not keep others from being sent, and are polled meanwhile.
func TestPacing_PollsLeaveHalfOfTheTurnsToSends(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_700_000_000, 0)
	var c crowd
	for range 2_000 {
		c = append(c, request{at: start, poll: true})
	}
	for range 600 {
		c = append(c, request{at: start.Add(time.Second)})
	}
	_, last, polled := c.serve(t, start, 10*time.Second)
	t.Logf("600 sent after %s beside 2,000 that are polled; %d polls meanwhile", last, polled)
	require.Less(t, last, 200*time.Second)
	require.Greater(t, float64(polled), last.Seconds()*2.5)
}

// A request from a callback does not wait behind the crowd.
func TestPacing_CallbacksDoNotQueue(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	p := &pacing.Pacer{
		Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return 1, nil },
	}
	for range 1000 {
		take(p, "pp_1", 10)
	}
	require.Greater(t, take(p, "pp_1", 10), time.Minute)
	require.LessOrEqual(t, takeUrgent(p, "pp_1", 10), 100*time.Millisecond)
}

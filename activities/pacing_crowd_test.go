package activities_test

import (
	"container/heap"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities"
)

// crowd are requests that want a turn when they were told to, earliest first.
type crowd []request

type request struct {
	at   time.Time
	poll bool
}

func (c crowd) Len() int           { return len(c) }
func (c crowd) Less(i, j int) bool { return c[i].at.Before(c[j].at) }
func (c crowd) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *crowd) Push(x any)        { *c = append(*c, x.(request)) } //nolint:forcetypeassert // only ours
func (c *crowd) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// serve lets all have their turns at an account with a limit of 10 a second. A poll that had its turn comes again after
// pollGap; zero: it does not. It returns how often turns were asked for, and when the last that is no poll had its own.
func (c crowd) serve(t *testing.T, start time.Time, pollGap time.Duration) (asked int, lastSend time.Duration, polled int) {
	t.Helper()
	now := start
	p := &activities.Pacing{
		Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return 1, nil },
	}
	heap.Init(&c)
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
		take := activities.Take
		if one.poll {
			take = activities.TakePoll
		}
		asked++
		wait := take(p, "pp_1", 10)
		switch {
		case wait > 0:
			one.at = now.Add(wait)
			heap.Push(&c, one)
		case one.poll:
			polled++
			if one.at = now.Add(pollGap); pollGap > 0 {
				heap.Push(&c, one)
			}
		default:
			sends--
			lastSend = now.Sub(start)
		}
	}
	return asked, lastSend, polled
}

// A crowd behind a slow account asks little more often than it has requests, and uses every turn.
func TestPacing_ACrowdComesWhenItsTurnIs(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_700_000_000, 0)
	for _, n := range []int{100, 5_000, 20_000} {
		var c crowd
		for range n {
			c = append(c, request{at: start})
		}
		asked, last, _ := c.serve(t, start, 0)
		t.Logf("%d requests asked %d times and were through after %s", n, asked, last)
		require.Less(t, asked, n*5)
		require.InDelta(t, float64(n)/10, last.Seconds(), float64(n)/10*0.25+2)
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

// What a callback asks for is not told to wait behind the crowd.
func TestPacing_CallbacksDoNotQueue(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	p := &activities.Pacing{
		Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return 1, nil },
	}
	for range 1000 {
		activities.Take(p, "pp_1", 10)
	}
	require.Greater(t, activities.Take(p, "pp_1", 10), time.Minute)
	require.LessOrEqual(t, activities.TakeUrgent(p, "pp_1", 10), 100*time.Millisecond)
}

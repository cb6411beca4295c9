package activities_test

import (
	"container/heap"
	"context"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/activities"
)

// Whatever the limit, the number of processes and the moments of asking: in no second do all processes together exceed
// the limit by more than the burst of each.
func TestPacing_ProcessesTogetherKeepTheLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1_700_000_000, 0)
		limit, processes := rapid.IntRange(1, 200).Draw(t, "limit"), rapid.IntRange(1, 5).Draw(t, "processes")
		var all []*activities.Pacing
		for range processes {
			p := &activities.Pacing{
				Clock:   func() time.Time { return now },
				Workers: func(context.Context) (int, error) { return processes, nil },
			}
			if err := activities.Know(p); err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		var sent []time.Time
		for range rapid.IntRange(1, 400).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "gap")) * time.Millisecond)
			p := all[rapid.IntRange(0, processes-1).Draw(t, "process")]
			if activities.Take(p, "pp_1", "txn_1", limit) == 0 {
				sent = append(sent, now)
			}
		}
		bursts := processes * max(1, limit/processes/10)
		for i, first := range sent {
			n := 0
			for _, s := range sent[i:] {
				if s.Sub(first) < time.Second {
					n++
				}
			}
			if n > limit+bursts+processes {
				t.Fatalf("%d requests in a second, and the limit is %d", n, limit)
			}
		}
	})
}

func TestPacing_AccountsAreApartAndNoLimitIsNone(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	p := &activities.Pacing{
		Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return 1, nil },
	}
	require.Zero(t, activities.Take(p, "pp_1", "txn_1", 1))
	require.Equal(t, time.Second, activities.Take(p, "pp_1", "txn_1", 1))
	require.Zero(t, activities.Take(p, "pp_2", "txn_1", 1))
	for range 1000 {
		require.Zero(t, activities.Take(p, "pp_1", "txn_1", 0))
		require.Zero(t, activities.Take(nil, "pp_1", "txn_1", 1))
	}
	now = now.Add(time.Second)
	require.Zero(t, activities.Take(p, "pp_1", "txn_1", 1))
}

// A charge takes its turn inside a transaction. Would it wait there for the count of the workers, which waits for a
// connection, as many charges as the pool has connections would wait for ever.
func TestPacing_ATurnDoesNotWaitForTheCount(t *testing.T) {
	t.Parallel()
	counting, counted := make(chan struct{}), make(chan struct{})
	p := &activities.Pacing{
		Clock: time.Now,
		Workers: func(context.Context) (int, error) {
			close(counting)
			<-counted
			return 1, nil
		},
	}
	known := make(chan error, 1)
	go func() { known <- activities.Know(p) }()
	<-counting
	turn := make(chan time.Duration, 1)
	go func() { turn <- activities.Take(p, "pp_1", "txn_1", 10) }()
	select {
	case wait := <-turn:
		require.Zero(t, wait)
	case <-time.After(10 * time.Second):
		require.Fail(t, "the turn waits for the count")
	}
	close(counted)
	require.NoError(t, <-known)
}

// An exchange has one turn and may be several requests: those beside the first delay the turns after it.
func TestPacing_FurtherRequestsDelayTheNextTurns(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	p := &activities.Pacing{
		Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return 1, nil },
	}
	require.Zero(t, activities.Take(p, "pp_1", "txn_1", 10))
	activities.Owe(p, "pp_1", 10, 2)
	activities.Owe(p, "pp_1", 10, -1) // of an exchange without a request
	activities.Owe(p, "pp_1", 0, 9)
	activities.Owe(nil, "pp_1", 10, 9)
	require.Equal(t, 300*time.Millisecond, activities.Take(p, "pp_1", "txn_1", 10))
	require.Zero(t, activities.Take(p, "pp_2", "txn_1", 10))
	now = now.Add(300 * time.Millisecond)
	require.Zero(t, activities.Take(p, "pp_1", "txn_1", 10))
}

// Ten thousand payments wait for an account that takes ten a second, in two processes between which they change: they ask
// little oftener than turns come, and hardly a turn is lost.
func TestPacing_ACrowdAsksLittleOftenerThanTurnsCome(t *testing.T) {
	t.Parallel()
	const crowd, limit, processes = 10_000, 10, 2
	begin := time.Unix(1_700_000_000, 0)
	now := begin
	var all []*activities.Pacing
	for range processes {
		p := &activities.Pacing{
			Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return processes, nil },
		}
		require.NoError(t, activities.Know(p))
		all = append(all, p)
	}
	random := rand.New(rand.NewPCG(1, 2))
	line := make(askers, crowd)
	for i := range line {
		line[i] = ask{begin.Add(time.Duration(i) * time.Millisecond), "txn_" + strconv.Itoa(i)}
	}
	heap.Init(&line)
	asked, sent := 0, 0
	for len(line) > 0 && now.Sub(begin) < 5*time.Minute {
		next := heap.Pop(&line).(ask)
		now = next.at
		wait := activities.Take(all[random.IntN(processes)], "pp_1", next.payment, limit)
		if now.Sub(begin) > time.Minute { // when all have asked once
			asked++
			if wait == 0 {
				sent++
			}
		}
		if wait > 0 {
			heap.Push(&line, ask{now.Add(activities.Spread(wait)), next.payment})
		}
	}
	t.Logf("in four minutes %d asked and %d were sent", asked, sent)
	require.Less(t, asked, 4*60*crowd/60, "no more than one in a minute, each")
	require.Greater(t, sent, 4*60*limit*8/10)
}

// askers is a queue of payments by the time at which they ask.
type askers []ask

type ask struct {
	at      time.Time
	payment string
}

func (a askers) Len() int           { return len(a) }
func (a askers) Less(i, j int) bool { return a[i].at.Before(a[j].at) }
func (a askers) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *askers) Push(x any)        { *a = append(*a, x.(ask)) }
func (a *askers) Pop() any {
	last := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return last
}

package pacing_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/activities/pacing"
	"perennial/internal/testkit/wait"
)

// Whatever the limit, the number of processes and the moments of asking: in no second do all processes together exceed
// the limit by more than the burst of each.
func TestPacing_ProcessesTogetherKeepTheLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1_700_000_000, 0)
		limit, processes := rapid.IntRange(1, 200).Draw(t, "limit"), rapid.IntRange(1, 5).Draw(t, "processes")
		var all []*pacing.Pacer
		for range processes {
			p := &pacing.Pacer{
				Clock:   func() time.Time { return now },
				Workers: func(context.Context) (int, error) { return processes, nil },
			}
			if err := p.Know(t.Context()); err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		var sent []time.Time
		for range rapid.IntRange(1, 400).Draw(t, "requests") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "gap")) * time.Millisecond)
			p := all[rapid.IntRange(0, processes-1).Draw(t, "process")]
			promised := time.Time{}
			if rapid.Bool().Draw(t, "promised") {
				promised = now
			}
			if wait, mine := takePromised(p, "pp_1", limit, promised); mine {
				sent = append(sent, now.Add(wait))
			}
		}
		slices.SortFunc(sent, time.Time.Compare)
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
	p := &pacing.Pacer{
		Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return 1, nil },
	}
	require.Zero(t, take(p, "pp_1", 1))
	require.Equal(t, time.Second, take(p, "pp_1", 1))
	require.Zero(t, take(p, "pp_2", 1))
	for range 1000 {
		require.Zero(t, take(p, "pp_1", 0))
		require.Zero(t, take(nil, "pp_1", 1))
	}
	now = now.Add(time.Second)
	_, mine := takePromised(p, "pp_1", 1, now)
	require.True(t, mine)
}

// A charge takes its turn inside a transaction. Would it wait there for the count of the workers, which waits for a
// connection, as many charges as the pool has connections would wait for ever.
func TestPacing_ATurnDoesNotWaitForTheCount(t *testing.T) {
	t.Parallel()
	counting, counted := make(chan struct{}), make(chan struct{})
	p := &pacing.Pacer{
		Clock: time.Now,
		Workers: func(context.Context) (int, error) {
			close(counting)
			<-counted
			return 1, nil
		},
	}
	known := make(chan error, 1)
	go func() { known <- p.Know(t.Context()) }()
	<-counting
	turn := make(chan time.Duration, 1)
	go func() { turn <- take(p, "pp_1", 10) }()
	select {
	case wait := <-turn:
		require.Zero(t, wait)
	case <-time.After(wait.Patience):
		require.Fail(t, "the turn waits for the count")
	}
	close(counted)
	require.NoError(t, <-known)
}

// An exchange has one turn and may be several requests: the further ones delay the turns after it.
func TestPacing_FurtherRequestsDelayTheNextTurns(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	p := &pacing.Pacer{
		Clock: func() time.Time { return now }, Workers: func(context.Context) (int, error) { return 1, nil },
	}
	require.Zero(t, take(p, "pp_1", 10))
	p.Owe("pp_1", 10, 2)
	p.Owe("pp_1", 10, -1) // of an exchange without a request
	p.Owe("pp_1", 0, 9)
	(*pacing.Pacer)(nil).Owe("pp_1", 10, 9)
	require.Equal(t, 300*time.Millisecond, take(p, "pp_1", 10))
	require.Zero(t, take(p, "pp_2", 10))
	now = now.Add(300 * time.Millisecond)
	wait, mine := takePromised(p, "pp_1", 10, now)
	require.Equal(t, [2]any{time.Duration(0), true}, [2]any{wait, mine})
}

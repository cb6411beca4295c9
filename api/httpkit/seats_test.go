package httpkit

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSeats_LetNobodyWaitLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSeats(1)
		first, second := &seat{of: s}, &seat{of: s}
		require.NoError(t, first.take(t.Context()))
		began := time.Now()
		require.ErrorIs(t, second.take(t.Context()), errOverloaded)
		require.False(t, second.leave(), "it has none")
		require.Equal(t, patience, time.Since(began))
		go func() {
			time.Sleep(patience / 2)
			first.leave()
			first.leave() // again: nothing more
		}()
		require.NoError(t, second.take(t.Context()))
		require.True(t, second.leave())
	})
}

// TestSeats_BoundWorkAndQueue sends more requests than there are seats and places to wait: never more than the bound are
// worked on, those beyond the queue are refused at once, and in the end all seats are free.
func TestSeats_BoundWorkAndQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 3
		s := newSeats(n)
		var working, most, done, refused, wrong atomic.Int32
		for range n + n*crowd + 10 {
			go func() {
				began := time.Now()
				seat := &seat{of: s}
				if err := seat.take(context.Background()); err != nil {
					if time.Since(began) == 0 && errors.Is(err, errOverloaded) {
						refused.Add(1)
					}
					return
				}
				defer seat.leave()
				work := func() error {
					most.Store(max(most.Load(), working.Add(1)))
					time.Sleep(time.Millisecond)
					working.Add(-1)
					return nil
				}
				_ = work()
				// A body that is late. Those that are together in the end take seats one after another.
				if seat.during(context.Background(), func() error { time.Sleep(time.Minute); return nil }) != nil {
					wrong.Add(1)
				}
				_ = work()
				done.Add(1)
			}()
			synctest.Wait()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		require.EqualValues(t, n, most.Load())
		require.EqualValues(t, n+n*crowd, done.Load(), "who waits for a body keeps nobody out")
		require.EqualValues(t, 10, refused.Load(), "at once")
		require.Zero(t, wrong.Load())
		require.True(t, s.free.TryAcquire(n))
		require.True(t, s.queue.TryAcquire(n*crowd))
	})
}

func TestSeats_NoBound(t *testing.T) {
	t.Parallel()
	s := newSeats(0)
	for range 1000 {
		seat := &seat{of: s}
		require.NoError(t, seat.take(t.Context()))
		require.NoError(t, seat.during(t.Context(), func() error { return nil }))
		require.False(t, seat.leave())
	}
}

// A body that comes with its headers, as nearly all do, costs no second wait.
func TestSeats_AreKeptForAPromptBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSeats(1)
		first, second := &seat{of: s}, &seat{of: s}
		require.NoError(t, first.take(t.Context()))
		require.NoError(t, first.during(t.Context(), func() error {
			time.Sleep(prompt / 2)
			require.False(t, s.free.TryAcquire(1))
			return nil
		}))
		require.NoError(t, first.during(t.Context(), func() error {
			time.Sleep(2 * prompt)
			require.NoError(t, second.take(t.Context()), "somebody else is worked for meanwhile")
			go func() {
				time.Sleep(patience / 2)
				second.leave()
			}()
			return nil
		}))
		require.True(t, first.leave())
		require.True(t, s.free.TryAcquire(1))
	})
}

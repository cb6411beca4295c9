package seats

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
		s := New(1)
		first, second := s.For(), s.For()
		require.NoError(t, first.Take(t.Context()))
		began := time.Now()
		require.ErrorIs(t, second.Take(t.Context()), ErrOverloaded)
		require.False(t, second.Leave(), "it has none")
		require.Equal(t, patience, time.Since(began))
		go func() {
			time.Sleep(patience / 2)
			first.Leave()
			first.Leave() // again: nothing more
		}()
		require.NoError(t, second.Take(t.Context()))
		require.True(t, second.Leave())
	})
}

// TestSeats_BoundWorkAndQueue sends more requests than there are seats and places to wait: never more than the bound
// are worked on, those beyond the queue are refused at once, and in the end all seats are free.
func TestSeats_BoundWorkAndQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 3
		s := New(n)
		var working, most, done, refused, wrong atomic.Int32
		for range n + n*crowd + 10 {
			go func() {
				began := time.Now()
				Seat := s.For()
				if err := Seat.Take(context.Background()); err != nil {
					if time.Since(began) == 0 && errors.Is(err, ErrOverloaded) {
						refused.Add(1)
					}
					return
				}
				defer Seat.Leave()
				work := func() error {
					most.Store(max(most.Load(), working.Add(1)))
					time.Sleep(time.Millisecond)
					working.Add(-1)
					return nil
				}
				_ = work()
				// A body that is late. Those that are together in the end take seats one after another.
				if Seat.During(context.Background(), func() error { time.Sleep(time.Minute); return nil }) != nil {
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
	s := New(0)
	for range 1000 {
		Seat := s.For()
		require.NoError(t, Seat.Take(t.Context()))
		require.NoError(t, Seat.During(t.Context(), func() error { return nil }))
		require.False(t, Seat.Leave())
	}
}

// A body that comes with its headers, as nearly all do, costs no second wait.
func TestSeats_AreKeptForAPromptBody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(1)
		first, second := s.For(), s.For()
		require.NoError(t, first.Take(t.Context()))
		require.NoError(t, first.During(t.Context(), func() error {
			time.Sleep(prompt / 2)
			require.False(t, s.free.TryAcquire(1))
			return nil
		}))
		require.NoError(t, first.During(t.Context(), func() error {
			time.Sleep(2 * prompt)
			require.NoError(t, second.Take(t.Context()), "somebody else is worked for meanwhile")
			go func() {
				time.Sleep(patience / 2)
				second.Leave()
			}()
			return nil
		}))
		require.True(t, first.Leave())
		require.True(t, s.free.TryAcquire(1))
	})
}

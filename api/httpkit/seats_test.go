package httpkit

import (
	"context"
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
		first, err := s.take(t.Context())
		require.NoError(t, err)
		began := time.Now()
		_, err = s.take(t.Context())
		require.ErrorIs(t, err, errOverloaded)
		require.Equal(t, patience, time.Since(began))
		go func() {
			time.Sleep(patience / 2)
			first.leave()
			first.leave() // again: nothing more
		}()
		second, err := s.take(t.Context())
		require.NoError(t, err)
		second.leave()
	})
}

// TestSeats_BoundWorkAndQueue sends more requests than there are seats and places to wait: never more than the bound are
// worked on, those beyond the queue are refused at once, and in the end all seats are free.
func TestSeats_BoundWorkAndQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 3
		s := newSeats(n)
		var working, most, done, refused atomic.Int32
		for range n + n*crowd + 10 {
			go func() {
				began := time.Now()
				seat, err := s.take(context.Background())
				if err != nil {
					require.ErrorIs(t, err, errOverloaded)
					require.Zero(t, time.Since(began))
					refused.Add(1)
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
				require.NoError(t, seat.during(context.Background(), func() error { time.Sleep(time.Minute); return nil }))
				_ = work()
				done.Add(1)
			}()
			synctest.Wait()
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		require.EqualValues(t, n, most.Load())
		require.EqualValues(t, n+n*crowd, done.Load(), "who waits for a body keeps nobody out")
		require.EqualValues(t, 10, refused.Load())
		require.True(t, s.free.TryAcquire(n))
		require.True(t, s.queue.TryAcquire(n*crowd))
	})
}

func TestSeats_NoBound(t *testing.T) {
	t.Parallel()
	s := newSeats(0)
	for range 1000 {
		seat, err := s.take(t.Context())
		require.NoError(t, err)
		require.NoError(t, seat.during(t.Context(), func() error { return nil }))
		defer seat.leave()
	}
}

package httpkit

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"perennial/billing/fault"
)

// patience is how long a request waits for a seat. With the time that everybody in a seat is worked for it stays below a
// second, after which most callers have given up and their work would be done for nobody.
const patience = 800 * time.Millisecond

// crowd is how many requests may wait, for each seat.
const crowd = 16

// prompt is how long a seat is kept for a body that is not here yet. Nearly all come with their headers.
const prompt = 10 * time.Millisecond

var errOverloaded = fault.New(fault.Unavailable, "overloaded",
	"The service has more requests than it can serve. This one was not performed. Repeat it after Retry-After.").
	After(time.Second)

// seats bound the operations that are worked on at one time, so that under more load than the service can bear those
// that are let in are answered soon and in full, instead of all of them late. Who merely waits has none.
type seats struct {
	free  *semaphore.Weighted // nil: no bound
	queue *semaphore.Weighted
}

func newSeats(n int) *seats {
	if n == 0 {
		return &seats{}
	}
	return &seats{free: semaphore.NewWeighted(int64(n)), queue: semaphore.NewWeighted(int64(n) * crowd)}
}

// seat is one request's.
type seat struct {
	of    *seats
	mu    sync.Mutex
	taken bool
}

// take waits for a seat, in order of arrival. Fault: overloaded.
func (s *seat) take(ctx context.Context) error {
	free, queue := s.of.free, s.of.queue
	if free == nil {
		return nil
	}
	if !free.TryAcquire(1) {
		if !queue.TryAcquire(1) {
			return errOverloaded
		}
		defer queue.Release(1)
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if free.Acquire(ctx, 1) != nil {
			return errOverloaded
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = true
	return nil
}

// leave gives the seat to somebody else, and reports whether there was one. It may be called again.
func (s *seat) leave() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.taken
	if left {
		s.taken = false
		s.of.free.Release(1)
	}
	return left
}

// during does what the caller makes us wait for, such as sending a body. Where it takes longer than prompt, somebody else
// has the seat meanwhile. Faults: those of wait; overloaded.
func (s *seat) during(ctx context.Context, wait func() error) error {
	left := make(chan struct{})
	late := time.AfterFunc(prompt, func() {
		s.leave()
		close(left)
	})
	err := wait()
	if late.Stop() {
		return err
	}
	<-left
	if err != nil {
		return err
	}
	return s.take(ctx)
}

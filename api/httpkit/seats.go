package httpkit

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"perennial/billing/fault"
)

// patience is how long a request waits for a seat. With the time that everybody in a seat is worked for it stays below a
// second, after which most callers have given up and their work would be done for nobody.
const patience = 600 * time.Millisecond

// crowd is how many requests may wait, for each seat.
const crowd = 16

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

// seat is one request's. It belongs to one goroutine.
type seat struct {
	of    *seats
	taken bool
}

// take waits for a seat, in order of arrival. Fault: overloaded, before anything is done for the request.
func (s *seats) take(ctx context.Context) (*seat, error) {
	if s.free == nil {
		return &seat{of: s}, nil
	}
	if !s.free.TryAcquire(1) {
		if !s.queue.TryAcquire(1) {
			return nil, errOverloaded
		}
		defer s.queue.Release(1)
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if s.free.Acquire(ctx, 1) != nil {
			return nil, errOverloaded
		}
	}
	return &seat{of: s, taken: true}, nil
}

// leave gives the seat to somebody else. It may be called again.
func (s *seat) leave() {
	if s.taken {
		s.taken = false
		s.of.free.Release(1)
	}
}

// during does what the caller makes us wait for, such as sending a body, without the seat, and then takes one again.
// Faults: those of wait; overloaded.
func (s *seat) during(ctx context.Context, wait func() error) error {
	if !s.taken {
		return wait()
	}
	s.leave()
	if err := wait(); err != nil {
		return err
	}
	if s.of.free.Acquire(ctx, 1) != nil {
		return errOverloaded
	}
	s.taken = true
	return nil
}

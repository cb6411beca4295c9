// Package seats bounds the operations that a process works on at one time. It does not know HTTP.
package seats

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"perennial/billing/fault"
)

// patience is the time for which a request waits for a seat. Together with the time of work in a seat it stays below a
// second, after which most callers have given up and the work would be wasted.
const patience = 800 * time.Millisecond

// crowd is the number of requests that may wait, for each seat.
const crowd = 16

// prompt is the time for which a seat is kept for a body that is not here yet. Nearly all bodies come with their
// headers.
const prompt = 10 * time.Millisecond

// ErrOverloaded refuses an operation for which no seat became free in time.
var ErrOverloaded = fault.New(fault.Unavailable, "overloaded",
	"The service has more requests than it can serve. This one was not performed. Repeat it after Retry-After.").
	After(time.Second)

// Seats bound the operations that are worked on at one time. Under more load than the service can bear, admitted
// requests are then answered soon and in full, instead of all of them late. A request that merely waits has no seat.
type Seats struct {
	free  *semaphore.Weighted // nil: no bound
	queue *semaphore.Weighted
}

// New returns n seats; 0: there is no bound.
func New(n int) *Seats {
	if n == 0 {
		return &Seats{}
	}
	return &Seats{free: semaphore.NewWeighted(int64(n)), queue: semaphore.NewWeighted(int64(n) * crowd)}
}

// Seat is the seat of one request.
type Seat struct {
	of    *Seats
	mu    sync.Mutex
	taken bool
}

// For returns the seat of one request, which is not taken yet.
func (s *Seats) For() *Seat { return &Seat{of: s} }

// Take waits for a seat, in order of arrival. Fault: overloaded.
func (s *Seat) Take(ctx context.Context) error {
	free, queue := s.of.free, s.of.queue
	if free == nil {
		return nil
	}
	if !free.TryAcquire(1) {
		if !queue.TryAcquire(1) {
			return ErrOverloaded
		}
		defer queue.Release(1)
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if free.Acquire(ctx, 1) != nil {
			return ErrOverloaded
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = true
	return nil
}

// Leave gives the seat up, and reports whether there was one. It may be called again.
func (s *Seat) Leave() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.taken
	if left {
		s.taken = false
		s.of.free.Release(1)
	}
	return left
}

// During runs a wait for the caller, such as for its body. Where it takes longer than prompt, another request has the
// seat meanwhile. Faults: those of wait; overloaded.
func (s *Seat) During(ctx context.Context, wait func() error) error {
	left := make(chan struct{})
	late := time.AfterFunc(prompt, func() {
		s.Leave()
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
	return s.Take(ctx)
}

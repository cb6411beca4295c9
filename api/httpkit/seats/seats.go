// Package seats bounds the operations that a process works on at one time. It knows nothing of HTTP.
package seats

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"perennial/billing/fault"
)

// patience is how long a request waits for a seat. With the time that everybody in a seat is worked for it stays below
// a second, after which most callers have given up and their work would be done for nobody.
const patience = 800 * time.Millisecond

// crowd is how many requests may wait, for each seat.
const crowd = 16

// prompt is how long a seat is kept for a body that is not here yet. Nearly all come with their headers.
const prompt = 10 * time.Millisecond

// ErrOverloaded refuses an operation for which no seat became free in time.
var ErrOverloaded = fault.New(fault.Unavailable, "overloaded",
	"The service has more requests than it can serve. This one was not performed. Repeat it after Retry-After.").
	After(time.Second)

// Seats bound the operations that are worked on at one time, so that under more load than the service can bear those
// that are let in are answered soon and in full, instead of all of them late. Who merely waits has none.
type Seats struct {
	free  *semaphore.Weighted // nil: no bound
	queue *semaphore.Weighted
}

// New makes n seats; 0: there is no bound.
func New(n int) *Seats {
	if n == 0 {
		return &Seats{}
	}
	return &Seats{free: semaphore.NewWeighted(int64(n)), queue: semaphore.NewWeighted(int64(n) * crowd)}
}

// Seat is that of one request.
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

// Leave gives the seat to somebody else, and reports whether there was one. It may be called again.
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

// During does what the caller makes us wait for, such as sending a body. Where it takes longer than prompt, somebody
// else has the seat meanwhile. Faults: those of wait; overloaded.
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

package reconcile

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"perennial/db"
)

// pace spreads the starts and signals of the reconciler over time, across passes.
type pace struct {
	once    sync.Once
	limiter *rate.Limiter
}

// wait blocks until the next start may be made, at most perSecond of them a second; 0: at once.
func (p *pace) wait(ctx context.Context, perSecond int) error {
	if perSecond <= 0 {
		return ctx.Err()
	}
	p.once.Do(func() { p.limiter = rate.NewLimiter(rate.Limit(perSecond), max(1, perSecond/10)) })
	return p.limiter.Wait(ctx)
}

const (
	// stuckAfter is the time after which the run of a subscription counts as stuck, if it stays overdue while each pass
	// wakes it: it waits for something that never comes, or refuses its messages.
	stuckAfter = 5 * time.Minute
	stuckNamed = 10 // of them are named in the log
)

// stuck remembers since when subscriptions are overdue. Each worker process remembers the passes that ran on it: where
// there are several it counts fewer passes, and names the same subscriptions.
type stuck struct {
	mu    sync.Mutex
	since map[db.Ref]time.Time
}

// learn replaces the known rows by those that one pass found.
func (s *stuck) learn(now time.Time, found ...[]db.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := map[db.Ref]time.Time{}
	for _, refs := range found {
		for _, ref := range refs {
			next[ref] = now
			if first, known := s.since[ref]; known {
				next[ref] = first
			}
		}
	}
	s.since = next
}

// lasting returns the rows that this process has found in each of its passes since before.
func (s *stuck) lasting(refs []db.Ref, before time.Time) (out []db.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ref := range refs {
		if first, known := s.since[ref]; known && !first.After(before) {
			out = append(out, ref)
		}
	}
	return out
}

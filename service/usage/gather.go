package usage

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"perennial/billing/usage"
	"perennial/service/usecase"
)

// gather writes records of concurrent single requests together, so that they share the cost of a transaction. No record
// waits for others to come: if no write of its environment is in progress, it is written at once, and records that come
// meanwhile go together with the next write.
type gather struct {
	mu     sync.Mutex
	queues map[string]*gatherQueue // by environment
}

type gatherQueue struct {
	waiting []*gathered
	writing int
}

type gathered struct {
	by      usecase.Caller
	outcome Outcome
	err     error
	done    chan struct{}
}

const (
	gatherAtOnce  = 2   // concurrent writes of one environment: one commits while the other is prepared
	gatherAtMost  = 500 // records of one write
	gatherTimeout = 10 * time.Second
)

// submit waits until the record is decided. If ctx ends before its write begins, nothing was written; after that only
// the database decides.
func (g *gather) submit(ctx context.Context, s *Service, by usecase.Caller, r usage.Record) (Outcome, error) {
	one := &gathered{by: by, outcome: Outcome{Record: r}, done: make(chan struct{})}
	g.mu.Lock()
	if g.queues == nil {
		g.queues = map[string]*gatherQueue{}
	}
	q := g.queues[by.EnvironmentID]
	if q == nil {
		q = &gatherQueue{}
		g.queues[by.EnvironmentID] = q
	}
	q.waiting = append(q.waiting, one)
	begin := q.writing < gatherAtOnce
	if begin {
		q.writing++
	}
	g.mu.Unlock()
	if begin {
		go g.write(context.WithoutCancel(ctx), s, by.EnvironmentID, q)
	}
	select {
	case <-one.done:
	case <-ctx.Done():
		if g.withdraw(q, one) {
			return Outcome{}, ctx.Err()
		}
		<-one.done
	}
	return one.outcome, one.err
}

func (g *gather) withdraw(q *gatherQueue, one *gathered) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(q.waiting, one)
	if i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
	return i >= 0
}

// write continues until no record waits.
func (g *gather) write(ctx context.Context, s *Service, environmentID string, q *gatherQueue) {
	for {
		g.mu.Lock()
		n := min(len(q.waiting), gatherAtMost)
		batch := slices.Clone(q.waiting[:n])
		q.waiting = slices.Delete(q.waiting, 0, n)
		if n == 0 {
			if q.writing--; q.writing == 0 {
				delete(g.queues, environmentID)
			}
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		s.writeGathered(ctx, batch)
	}
}

// recordSafely turns a panic into an error of its records. No handler above this goroutine would recover it.
func (s *Service) recordSafely(
	ctx context.Context, by usecase.Caller, records []usage.Record,
) (outcomes []Outcome, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("service: panic while usage was recorded: %v\n%s", cause, debug.Stack())
		}
	}()
	return s.RecordUsageBatch(ctx, by, records)
}

func (s *Service) writeGathered(ctx context.Context, batch []*gathered) {
	within, cancel := context.WithTimeout(ctx, gatherTimeout)
	defer cancel()
	records := make([]usage.Record, len(batch))
	for i, one := range batch {
		records[i] = one.outcome.Record
	}
	outcomes, err := s.recordSafely(within, batch[0].by, records)
	for i, one := range batch {
		if one.err = err; err == nil {
			one.outcome = outcomes[i]
		}
		close(one.done)
	}
}

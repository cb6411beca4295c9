package dispatch

import (
	"context"
	"errors"
	"sync"
	"time"

	"perennial/db"
)

const (
	// patience is the time that one effect may take. It is longer than a slow start of Temporal, since an effect that
	// is given up waits for the reconciler. While Temporal is not available, each waiting effect keeps a place for so
	// long.
	patience = 15 * time.Second
	// atOnce is the number of effects that a process performs at the same time. A burst of commands is answered first;
	// its workflows follow at the pace of Temporal, which costs several times the processor of the command.
	atOnce = 8
	// mostWaiting bounds the memory of a burst, and how old an effect can be that Temporal hears of after an outage.
	mostWaiting = 4096
	// closing is the time for which the end of the process waits for effects. It is within the time that a worker has
	// to drain.
	closing = 5 * time.Second
)

var (
	errFull   = errors.New("too many effects wait already")
	errClosed = errors.New("the process ends")
)

// job is an effect with who caused it. The context has the request's identifiers for the log.
type job struct {
	ctx    context.Context //nolint:containedctx // only for its values: it is never canceled
	by     db.Actor
	effect db.Effect
}

// queue performs jobs in about their order, some at a time.
type queue struct {
	perform  func(ctx context.Context, by db.Actor, effect db.Effect)
	patience time.Duration

	mu      sync.Mutex
	closed  bool
	jobs    chan job
	workers sync.WaitGroup
}

func newQueue(
	workers int, patience time.Duration, perform func(ctx context.Context, by db.Actor, effect db.Effect),
) *queue {
	q := &queue{perform: perform, patience: patience, jobs: make(chan job, mostWaiting)}
	for range workers {
		q.workers.Go(q.work)
	}
	return q
}

// add fails where too much waits, or after close.
func (q *queue) add(j job) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	select {
	case q.jobs <- j:
		return nil
	default:
		return errFull
	}
}

func (q *queue) work() {
	for j := range q.jobs {
		q.do(j)
	}
}

func (q *queue) do(j job) {
	ctx, cancel := context.WithTimeout(j.ctx, q.patience)
	defer cancel()
	q.perform(ctx, j.by, j.effect)
}

// close waits until all is performed, for some seconds at most.
func (q *queue) close() {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		close(q.jobs)
	}
	q.mu.Unlock()
	done := make(chan struct{})
	go func() {
		q.workers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(closing):
	}
}

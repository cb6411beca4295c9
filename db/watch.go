package db

import (
	"context"
	"sync"
	"time"

	"perennial/db/internal/dbsqlc"
)

// Awaited names a row and, by its kind, the state of it that a caller waits for.
type Awaited struct {
	kind              awaitedKind
	environmentID, id string
}

type awaitedKind int

const (
	awaitedTransaction awaitedKind = iota
	awaitedTestClock
	awaitedSubscription
	awaitedKinds // how many there are
)

// AwaitedTransaction waits until the transaction is not pending.
func AwaitedTransaction(environmentID, id string) Awaited {
	return Awaited{kind: awaitedTransaction, environmentID: environmentID, id: id}
}

// AwaitedTestClock waits until the clock is ready.
func AwaitedTestClock(environmentID, id string) Awaited {
	return Awaited{kind: awaitedTestClock, environmentID: environmentID, id: id}
}

// AwaitedSubscription waits until a new subscription has begun and no charge of it is pending.
func AwaitedSubscription(environmentID, id string) Awaited {
	return Awaited{kind: awaitedSubscription, environmentID: environmentID, id: id}
}

const (
	// watchEvery is how often a process asks for everything its callers wait for: one statement for each kind.
	watchEvery = 50 * time.Millisecond
	// watchNet wakes a caller that heard nothing, whose own look then decides.
	watchNet = 5 * time.Second
)

// watch asks the database for all waiting callers together, so that waiting costs the same however many wait. It runs
// while somebody waits. docs/adr/0015-waiting-callers.md says why not LISTEN.
type watch struct {
	mu      sync.Mutex
	waiting map[Awaited]map[chan struct{}]struct{}
	running bool
}

// Await returns when what is awaited may have come about, after five seconds at most; the caller looks for itself and
// may wait again. The error is that of ctx.
func (s *Store) Await(ctx context.Context, what Awaited) error {
	woken := s.watch.add(s, what)
	defer s.watch.remove(what, woken)
	net := time.NewTimer(watchNet)
	defer net.Stop()
	select {
	case <-woken:
		return nil
	case <-net.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *watch) add(s *Store, what Awaited) chan struct{} {
	woken := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting == nil {
		w.waiting = map[Awaited]map[chan struct{}]struct{}{}
	}
	if w.waiting[what] == nil {
		w.waiting[what] = map[chan struct{}]struct{}{}
	}
	w.waiting[what][woken] = struct{}{}
	if !w.running {
		w.running = true
		go w.run(s)
	}
	return woken
}

func (w *watch) remove(what Awaited, woken chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waiting[what], woken)
	if len(w.waiting[what]) == 0 {
		delete(w.waiting, what)
	}
}

// run asks until nobody waits.
func (w *watch) run(s *Store) {
	for {
		time.Sleep(watchEvery)
		w.mu.Lock()
		if len(w.waiting) == 0 {
			w.running = false
			w.mu.Unlock()
			return
		}
		asked := make([]Awaited, 0, len(w.waiting))
		for what := range w.waiting {
			asked = append(asked, what)
		}
		w.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), watchNet)
		w.wake(s.cameAbout(ctx, asked)) // what could not be asked for is asked for again
		cancel()
	}
}

func (w *watch) wake(cameAbout []Awaited) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, what := range cameAbout {
		for woken := range w.waiting[what] {
			close(woken)
		}
		delete(w.waiting, what)
	}
}

// cameAbout returns those of asked that callers need not wait for any longer.
func (s *Store) cameAbout(ctx context.Context, asked []Awaited) (found []Awaited) {
	var environments, ids [awaitedKinds][]string
	for _, what := range asked {
		environments[what.kind] = append(environments[what.kind], what.environmentID)
		ids[what.kind] = append(ids[what.kind], what.id)
	}
	if kind := awaitedTransaction; len(ids[kind]) > 0 {
		rows, _ := queries.WatchTransactions(ctx, s.handle, dbsqlc.WatchTransactionsParams{ // see run
			EnvironmentIds: environments[kind], Ids: ids[kind],
		})
		for _, row := range rows {
			found = append(found, AwaitedTransaction(row.EnvironmentID, row.ID))
		}
	}
	if kind := awaitedSubscription; len(ids[kind]) > 0 {
		rows, _ := queries.WatchSubscriptions(ctx, s.handle, dbsqlc.WatchSubscriptionsParams{ // see run
			EnvironmentIds: environments[kind], Ids: ids[kind],
		})
		for _, row := range rows {
			found = append(found, AwaitedSubscription(row.EnvironmentID, row.ID))
		}
	}
	if kind := awaitedTestClock; len(ids[kind]) > 0 {
		rows, _ := queries.WatchTestClocks(ctx, s.handle, dbsqlc.WatchTestClocksParams{ // see run
			EnvironmentIds: environments[kind], Ids: ids[kind],
		})
		for _, row := range rows {
			found = append(found, AwaitedTestClock(row.EnvironmentID, row.ID))
		}
	}
	return found
}

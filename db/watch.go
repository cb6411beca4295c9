package db

import (
	"context"
	"sync"
	"time"

	"perennial/db/core"
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

// AwaitedSubscription waits until a subscription has begun and no charge of it is under way, not counting one that its
// payer has to confirm.
func AwaitedSubscription(environmentID, id string) Awaited {
	return Awaited{kind: awaitedSubscription, environmentID: environmentID, id: id}
}

const (
	// watchTick is the time between two checks of a process whether a row is due to be asked for: one statement for
	// each kind.
	watchTick = 5 * time.Millisecond
	// watchFirst is the wait of a caller for the first question, in ticks: nothing is done sooner.
	watchFirst = int(15 * time.Millisecond / watchTick)
	// watchShare of the time that a caller has waited passes before its row is read again, and at most watchMostTicks.
	// So the end of a payment that takes 40 ms is noticed within 5 ms, and one that takes a minute costs 20 statements
	// a second.
	watchShare     = 4
	watchMostTicks = int(50 * time.Millisecond / watchTick)
	// watchNet wakes a caller without news, whose own read then decides.
	watchNet = 5 * time.Second
)

// watch asks the database for all waiting callers together, so that waiting costs the same however many wait. It runs
// while a caller waits. docs/adr/0015-waiting-callers.md says why not LISTEN.
type watch struct {
	mu      sync.Mutex
	waiting map[Awaited]*awaiting
	running bool
}

// awaiting are the callers that wait for one row.
type awaiting struct {
	callers map[chan struct{}]struct{}
	waited  int // since the latest caller came, in ticks
}

// due counts a tick, whose number it is given, and reports whether the row is asked for now. Rows that have waited
// alike long are due at the same ticks, so that one statement asks for them together.
func (a *awaiting) due(tick int) bool {
	a.waited++
	return a.waited >= watchFirst && tick%min(max(a.waited/watchShare, 1), watchMostTicks) == 0
}

// Await returns when the awaited change may have happened, after five seconds at most; the caller reads the row and may
// wait again. The error is that of ctx.
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
		w.waiting = map[Awaited]*awaiting{}
	}
	if w.waiting[what] == nil {
		w.waiting[what] = &awaiting{callers: map[chan struct{}]struct{}{}}
	}
	a := w.waiting[what]
	a.callers[woken] = struct{}{}
	a.waited = 0
	if !w.running {
		w.running = true
		go w.run(s)
	}
	return woken
}

func (w *watch) remove(what Awaited, woken chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.waiting[what]
	if a == nil {
		return
	}
	delete(a.callers, woken)
	if len(a.callers) == 0 {
		delete(w.waiting, what)
	}
}

// run polls until no caller waits.
func (w *watch) run(s *Store) {
	for tick := 0; ; tick++ {
		time.Sleep(watchTick)
		w.mu.Lock()
		if len(w.waiting) == 0 {
			w.running = false
			w.mu.Unlock()
			return
		}
		asked := make([]Awaited, 0, len(w.waiting))
		for what, a := range w.waiting {
			if a.due(tick) {
				asked = append(asked, what)
			}
		}
		w.mu.Unlock()
		if len(asked) == 0 {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), watchNet)
		w.wake(s.cameAbout(ctx, asked)) // what could not be asked for is asked for again
		cancel()
	}
}

func (w *watch) wake(cameAbout []Awaited) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, what := range cameAbout {
		a := w.waiting[what]
		if a == nil {
			continue // its callers have left meanwhile
		}
		for woken := range a.callers {
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
		rows, _ := core.Queries.WatchTransactions(ctx, s.Handle, dbsqlc.WatchTransactionsParams{ // see run
			EnvironmentIds: environments[kind], Ids: ids[kind],
		})
		for _, row := range rows {
			found = append(found, AwaitedTransaction(row.EnvironmentID, row.ID))
		}
	}
	if kind := awaitedSubscription; len(ids[kind]) > 0 {
		rows, _ := core.Queries.WatchSubscriptions(ctx, s.Handle, dbsqlc.WatchSubscriptionsParams{ // see run
			EnvironmentIds: environments[kind], Ids: ids[kind],
		})
		for _, row := range rows {
			found = append(found, AwaitedSubscription(row.EnvironmentID, row.ID))
		}
	}
	if kind := awaitedTestClock; len(ids[kind]) > 0 {
		rows, _ := core.Queries.WatchTestClocks(ctx, s.Handle, dbsqlc.WatchTestClocksParams{ // see run
			EnvironmentIds: environments[kind], Ids: ids[kind],
		})
		for _, row := range rows {
			found = append(found, AwaitedTestClock(row.EnvironmentID, row.ID))
		}
	}
	return found
}

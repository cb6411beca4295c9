package core

import (
	"container/heap"
	"time"
)

// Schedule schedules an action of the provider, replacing the one with the same ID. Schedules are not in the ledger: a
// dialect makes them again while its changes are applied. The caller holds the lock, as a Dialect always does.
func (s *Server) Schedule(id string, at time.Time, run func() *Effect) {
	s.Unschedule(id)
	e := &entry{id: id, at: at, run: run}
	s.schedule.entries[id] = e
	heap.Push(&s.schedule, e)
	s.arm()
}

// Unschedule removes the scheduled action with the ID.
func (s *Server) Unschedule(id string) {
	if e := s.schedule.entries[id]; e != nil {
		heap.Remove(&s.schedule, e.index)
		delete(s.schedule.entries, id)
	}
}

// settleDue performs due actions; every request begins with it, so that a client's reads never depend on a timer's
// punctuality. The caller holds the lock.
func (s *Server) settleDue() {
	for len(s.schedule.order) > 0 && !s.schedule.order[0].at.After(s.Now()) {
		e := s.schedule.order[0]
		s.Unschedule(e.id)
		if effect := e.run(); effect != nil {
			s.commitAndSend(effect)
		}
	}
}

// arm sets the timer for the earliest entry. The caller holds the lock.
func (s *Server) arm() {
	q := &s.schedule
	if !q.ready || len(q.order) == 0 || (q.timer != nil && q.armedFor.Equal(q.order[0].at)) {
		return
	}
	if q.timer != nil {
		q.timer.Stop()
	}
	q.armedFor = q.order[0].at
	q.timer = time.AfterFunc(q.armedFor.Sub(s.Now()), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !q.ready {
			return
		}
		q.timer = nil
		s.settleDue()
		s.arm()
	})
}

type entry struct {
	id    string
	at    time.Time
	index int
	run   func() *Effect
}

// schedule is a heap of future actions, the earliest first.
type schedule struct {
	entries  map[string]*entry
	order    []*entry
	ready    bool // the ledger has been read back
	timer    *time.Timer
	armedFor time.Time
}

func (q *schedule) Len() int           { return len(q.order) }
func (q *schedule) Less(i, j int) bool { return q.order[i].at.Before(q.order[j].at) }
func (q *schedule) Swap(i, j int) {
	q.order[i], q.order[j] = q.order[j], q.order[i]
	q.order[i].index, q.order[j].index = i, j
}
func (q *schedule) Push(x any) {
	e := x.(*entry) //nolint:forcetypeassert // only Schedule pushes
	e.index = len(q.order)
	q.order = append(q.order, e)
}
func (q *schedule) Pop() any {
	e := q.order[len(q.order)-1]
	q.order = q.order[:len(q.order)-1]
	return e
}

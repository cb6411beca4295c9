package activities

import "sync"

// appSlots bounds the young attempts of each app in this process: an app with many endpoints leaves the others their
// share of the processors and sockets. An attempt that waits for a slow receiver costs neither, so it holds no slot.
type appSlots struct {
	mu    sync.Mutex
	taken map[string]int
}

// take takes up to want slots, or none where fewer than least are free: many endpoints that get a slot each would write
// a transaction each. A slot is given back by calling its function, once or more.
func (s *appSlots) take(app string, want, least int) (give []func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := appInFlight - s.taken[app]
	if free < max(least, 1) {
		return nil
	}
	if s.taken == nil {
		s.taken = map[string]int{}
	}
	give = make([]func(), min(want, free))
	s.taken[app] += len(give)
	for i := range give {
		give[i] = sync.OnceFunc(func() { s.release(app) })
	}
	return give
}

func (s *appSlots) release(app string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[app]--; s.taken[app] == 0 {
		delete(s.taken, app)
	}
}

package activities

import "sync"

// appSlots bounds the young attempts of each app in this process: an app with many endpoints leaves the others their
// share of the processors and sockets. An attempt that waits for a slow receiver costs neither, so it holds no slot.
type appSlots struct {
	mu    sync.Mutex
	taken map[string]int
}

// take returns false where the app has all of its slots taken. The slot is given back by calling give, once or more.
func (s *appSlots) take(app string) (give func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[app] >= appInFlight {
		return nil, false
	}
	if s.taken == nil {
		s.taken = map[string]int{}
	}
	s.taken[app]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.taken[app]--; s.taken[app] == 0 {
			delete(s.taken, app)
		}
	}), true
}

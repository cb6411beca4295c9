package delivery

import "sync"

// appSlots bounds the young attempts of each app in this process: an app with many endpoints leaves the others their
// share of the processors and sockets. An attempt that waits for a slow receiver costs neither, so it holds no slot.
type appSlots struct {
	mu    sync.Mutex
	taken map[string]int
	queue map[string][]*slotRequest // in the order in which they came
}

// slotRequest waits for up to want slots.
type slotRequest struct {
	app  string
	want int
	// has room; at least one function arrives. Calling a function, once or more, releases its slot
	granted chan []func()
}

// ask requests up to want slots. Requests are served in their order, with the slots that are free then.
func (s *appSlots) ask(app string, want int) *slotRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken == nil {
		s.taken, s.queue = map[string]int{}, map[string][]*slotRequest{}
	}
	q := &slotRequest{app: app, want: want, granted: make(chan []func(), 1)}
	s.queue[app] = append(s.queue[app], q)
	s.serve(app)
	return q
}

// withdraw withdraws a request and releases the slots that were granted meanwhile.
func (s *appSlots) withdraw(q *slotRequest) {
	s.mu.Lock()
	for i, waiting := range s.queue[q.app] {
		if waiting == q {
			s.queue[q.app] = append(s.queue[q.app][:i:i], s.queue[q.app][i+1:]...)
			break
		}
	}
	s.mu.Unlock()
	select {
	case slots := <-q.granted:
		for _, give := range slots {
			give()
		}
	default:
	}
}

// serve grants the free slots.
func (s *appSlots) serve(app string) {
	for len(s.queue[app]) > 0 && s.taken[app] < appInFlight {
		q := s.queue[app][0]
		s.queue[app] = s.queue[app][1:]
		slots := make([]func(), min(q.want, appInFlight-s.taken[app]))
		for i := range slots {
			slots[i] = sync.OnceFunc(func() { s.release(app) })
		}
		s.taken[app] += len(slots)
		q.granted <- slots
	}
	if len(s.queue[app]) == 0 {
		delete(s.queue, app)
	}
}

func (s *appSlots) release(app string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken[app]--
	s.serve(app)
	if s.taken[app] == 0 {
		delete(s.taken, app)
	}
}

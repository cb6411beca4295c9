package activities

import (
	"sync"
)

// Slots bound how many exchanges with one provider account are in flight in this process, so that an account that does
// not answer leaves room for the others. A nil one bounds nothing.
type Slots struct {
	each  int
	mu    sync.Mutex
	taken map[string]int
}

// NewSlots makes each slots for every account; zero: there is no bound.
func NewSlots(each int) *Slots {
	if each == 0 {
		return nil
	}
	return &Slots{each: each, taken: map[string]int{}}
}

// take reports whether there was room.
func (s *Slots) take(account string) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[account] >= s.each {
		return false
	}
	s.taken[account]++
	return true
}

func (s *Slots) release(account string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[account]--; s.taken[account] <= 0 {
		delete(s.taken, account)
	}
}

package activities

import "sync"

// Slots bound how many exchanges are in flight in this process, with each provider account and with all accounts of one
// provider, so that what does not answer leaves room for the others. A nil one bounds nothing.
type Slots struct {
	account, provider int
	mu                sync.Mutex
	taken             map[string]int // by account, and by the provider's name
}

// NewSlots makes slots for each account and for each provider; zero slots for an account: there is no bound.
func NewSlots(account, provider int) *Slots {
	if account == 0 {
		return nil
	}
	return &Slots{account: account, provider: provider, taken: map[string]int{}}
}

// take reports whether there was room.
func (s *Slots) take(account, provider string) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[account] >= s.account || s.taken[provider] >= s.provider {
		return false
	}
	s.taken[account]++
	s.taken[provider]++
	return true
}

func (s *Slots) release(account, provider string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range []string{account, provider} {
		if s.taken[key]--; s.taken[key] <= 0 {
			delete(s.taken, key)
		}
	}
}

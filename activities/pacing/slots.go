package pacing

import "sync"

// Slots bound the exchanges in flight in this process with each provider account and with all accounts of one provider,
// so that an account that does not answer leaves room for the others. A nil Slots bounds nothing.
type Slots struct {
	account, provider int
	mu                sync.Mutex
	accounts          map[string]int // taken, by account
	providers         map[string]int // taken, by the provider's name
}

// NewSlots returns slots for each account and for each provider. Zero slots for an account: there is no bound.
func NewSlots(account, provider int) *Slots {
	if account == 0 {
		return nil
	}
	return &Slots{account: account, provider: provider, accounts: map[string]int{}, providers: map[string]int{}}
}

// Take reports whether there was room.
func (s *Slots) Take(account, provider string) bool {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts[account] >= s.account || s.providers[provider] >= s.provider {
		return false
	}
	s.accounts[account]++
	s.providers[provider]++
	return true
}

// Release gives a slot back.
func (s *Slots) Release(account, provider string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	free(s.accounts, account)
	free(s.providers, provider)
}

func free(taken map[string]int, key string) {
	if taken[key]--; taken[key] <= 0 {
		delete(taken, key)
	}
}

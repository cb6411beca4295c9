package scene

import (
	"context"
	"sync"
	"time"

	"perennial/activities"
	"perennial/contract"
)

// Clock is the real time of a scene: it stands still unless it is moved, or follows another clock.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	follow func() time.Time
}

// Now answers the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.follow != nil {
		return c.follow()
	}
	return c.now
}

// Set moves the clock to at.
func (c *Clock) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.follow = at, nil
}

// Add moves the clock by d.
func (c *Clock) Add(d time.Duration) { c.Set(c.Now().Add(d)) }

// Follow makes the clock another one's, such as that of a workflow test environment.
func (c *Clock) Follow(now func() time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.follow = now
}

// Starts remembers which transactions were to get a workflow of their own.
type Starts struct {
	mu   sync.Mutex
	refs []contract.Ref
}

// StartPayment implements activities.Starter.
func (s *Starts) StartPayment(_ context.Context, in contract.PaymentInput) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refs = append(s.refs, in.Ref)
	return nil
}

// Take answers what was started since the last call.
func (s *Starts) Take() []contract.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.refs
	s.refs = nil
	return out
}

// Unobserved implements activities.Observer without looking.
type Unobserved struct{}

// ProviderCalled implements activities.Observer.
func (Unobserved) ProviderCalled(context.Context, string, string, string, time.Duration) {}

// PaymentEnded implements activities.Observer.
func (Unobserved) PaymentEnded(context.Context, activities.Ended) {}

// ReviewNeeded implements activities.Observer.
func (Unobserved) ReviewNeeded(context.Context, activities.ReviewNeeded) {}

// CredentialsRefused implements activities.Observer.
func (Unobserved) CredentialsRefused(context.Context, activities.CredentialsRefused) {}

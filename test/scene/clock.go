package scene

import (
	"context"
	"sync"
	"time"

	"perennial/activities/charging"
	"perennial/activities/execution"
	"perennial/activities/rating"
	"perennial/contract"
	"perennial/db"
)

// Clock is the real time of a scene: it changes only when it is moved, or follows another clock.
type Clock struct {
	mu     sync.Mutex
	now    time.Time
	follow func() time.Time
}

// Now returns the time.
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

// Follow makes the clock follow another one, such as that of a workflow test environment.
func (c *Clock) Follow(now func() time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.follow = now
}

// Effects is a db.Dispatcher that records the effects of commits.
type Effects struct {
	mu      sync.Mutex
	starts  []contract.Ref
	signals []db.SignalSubscription
	// Signal, where set, is called for each signal to a subscription's workflow.
	Signal func(ctx context.Context, signal db.SignalSubscription)
}

// Dispatch implements db.Dispatcher.
func (s *Effects) Dispatch(ctx context.Context, _ db.Actor, effects []db.Effect) {
	for _, effect := range effects {
		switch e := effect.(type) {
		case db.StartPayment:
			s.mu.Lock()
			s.starts = append(s.starts, contract.Ref(e))
			s.mu.Unlock()
		case db.SignalSubscription:
			s.mu.Lock()
			s.signals = append(s.signals, e)
			s.mu.Unlock()
			if s.Signal != nil {
				s.Signal(ctx, e)
			}
		}
	}
}

// Take returns the transactions that were to get a workflow of their own since the last call.
func (s *Effects) Take() []contract.Ref {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.starts
	s.starts = nil
	return out
}

// Signals returns the signals to subscriptions' workflows since the last call.
func (s *Effects) Signals() []db.SignalSubscription {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.signals
	s.signals = nil
	return out
}

// Unobserved implements charging.Observer without looking.
type Unobserved struct{}

// ProviderCalled implements charging.Observer.
func (Unobserved) ProviderCalled(context.Context, string, string, string, time.Duration) {}

// PaymentEnded implements charging.Observer.
func (Unobserved) PaymentEnded(context.Context, charging.Ended) {}

// ReviewNeeded implements charging.Observer.
func (Unobserved) ReviewNeeded(context.Context, charging.ReviewNeeded) {}

// CredentialsRefused implements charging.Observer.
func (Unobserved) CredentialsRefused(context.Context, charging.CredentialsRefused) {}

// ProviderSilent implements charging.Observer.
func (Unobserved) ProviderSilent(context.Context, charging.ProviderSilent) {}

// UsageUnrated implements rating.Observer.
func (Unobserved) UsageUnrated(context.Context, rating.Unrated) {}

// RowAbsent implements charging.Observer.
func (Unobserved) RowAbsent(context.Context, execution.RowAbsent) {}

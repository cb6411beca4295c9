package life

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/activities/reconcile"
	"perennial/contract"
	"perennial/test/scene"
)

// Waker records the reconciler's starts and signals.
type Waker struct {
	mu  sync.Mutex
	Did []string
	Err error
	On  func() // called before each
	// KeepsUp reports whether workers keep up; nil: they do.
	KeepsUp func() bool
}

func (w *Waker) note(what string) error {
	if w.On != nil {
		w.On()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Did = append(w.Did, what)
	return w.Err
}

// StartSubscription implements reconcile.Waker.
func (w *Waker) StartSubscription(_ context.Context, in contract.SubscriptionStart) error {
	return w.note("start " + in.Input.Ref.ID)
}

// StartPayment implements reconcile.Waker.
func (w *Waker) StartPayment(_ context.Context, in contract.PaymentInput) error {
	return w.note("start " + in.Ref.ID)
}

// StartErasure implements reconcile.Waker.
func (w *Waker) StartErasure(_ context.Context, in contract.ErasureInput) error {
	return w.note("erase " + in.Ref.ID)
}

// AdvanceClock implements reconcile.Waker.
func (w *Waker) AdvanceClock(_ context.Context, ref contract.Ref) error {
	return w.note("resume " + ref.ID)
}

// Wake implements reconcile.Waker.
func (w *Waker) Wake(_ context.Context, ref contract.Ref, signal string, _ contract.Wake) error {
	return w.note(signal + " " + ref.ID)
}

// Check implements reconcile.Waker.
func (w *Waker) Check(_ context.Context, owner contract.Owner, check contract.Check) error {
	return w.note("check " + owner.SubscriptionID + " " + check.TransactionID)
}

// WakeEndpoint implements reconcile.Waker.
func (w *Waker) WakeEndpoint(_ context.Context, ref contract.Ref) error {
	return w.note("wake endpoint " + ref.ID)
}

// WakeSender implements reconcile.Waker.
func (w *Waker) WakeSender(_ context.Context, ref contract.Ref) error {
	return w.note("wake sender " + ref.ID)
}

// Attended implements reconcile.Waker.
func (w *Waker) Attended(context.Context, string) (bool, error) {
	if w.KeepsUp == nil {
		return true, nil
	}
	return w.KeepsUp(), nil
}

// Pass makes one pass and returns its actions.
func (w *Waker) Pass(t *testing.T, s *scene.Scene) []string {
	t.Helper()
	w.Did = nil
	r := &reconcile.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w}
	_, err := r.Reconcile(t.Context())
	require.NoError(t, err)
	slices.Sort(w.Did)
	return w.Did
}

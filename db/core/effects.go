package core

import (
	"context"

	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
)

// Effect is something that must happen once a transaction is committed, such as the start of a workflow. It is data, so
// that tests and dispatchers can see it. A new kind of effect is a type here and a case in service/dispatch.
type Effect interface{ effect() }

// StartSubscription starts the workflow of a new subscription.
type StartSubscription struct {
	EnvironmentID string
	Subscription  subscription.Subscription
}

// SignalSubscription has the workflow of a subscription read its row and act on it.
type SignalSubscription struct {
	EnvironmentID, ID string
	// Why names the signal for people who read the history: a command's name; empty: another reason.
	Why      string
	Revision int64 // of the row; 0: not known
	// Told is the state in the row, where the workflow has nothing to do but to know it; nil: it has to read the row.
	Told *lifecycle.State
}

// StartPayment starts the workflow of a transaction that no subscription's workflow owns.
type StartPayment struct{ EnvironmentID, ID string }

// CheckTransaction has the owner of a transaction ask the provider about it:
// the workflow of its subscription, or its own.
type CheckTransaction struct {
	EnvironmentID, ID string
	SubscriptionID    string // empty: no subscription's workflow owns it
}

// AdvanceTestClock signals a test clock's workflow that its row has a new target.
type AdvanceTestClock struct{ EnvironmentID, ID string }

// WakeEndpoint signals a webhook endpoint's workflow that the endpoint is owed something, or has changed.
type WakeEndpoint struct{ EnvironmentID, ID string }

// WakeSender signals the workflow of a sender of mail that mails are due, or that it has changed.
type WakeSender struct{ EnvironmentID, ID string }

// StartErasure starts the workflow of an erasure. CustomerID is empty for a test clock's.
type StartErasure struct{ EnvironmentID, ID, CustomerID string }

func (StartSubscription) effect() {}

func (SignalSubscription) effect() {}

func (StartPayment) effect() {}

func (CheckTransaction) effect() {}

func (AdvanceTestClock) effect() {}

func (WakeEndpoint) effect() {}

func (WakeSender) effect() {}

func (StartErasure) effect() {}

// Dispatcher performs effects, best effort: the transaction is committed, and the reconciler performs the effects that
// a dispatcher could not. It must return in time, because a caller waits.
type Dispatcher interface {
	Dispatch(ctx context.Context, by Actor, effects []Effect)
}

// With returns the same store, whose transactions hand their effects to d.
// Without a dispatcher they are left to the reconciler.
func (s *Store) With(d Dispatcher) *Store {
	other := *s
	other.dispatcher = d
	return &other
}

// AfterCommit adds effects that are performed once the transaction is committed, and not if it rolls back.
func (tx *Tx) AfterCommit(effects ...Effect) { tx.effects = append(tx.effects, effects...) }

// The reconciler looks over all environments for work that a best-effort step left undone.

// Ref names one row of an environment.
type Ref struct {
	EnvironmentID string
	ID            string
}

package activities

import (
	"context"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
)

// maxCatchUp bounds how many due things one transaction does; a workflow that is further behind asks again.
const maxCatchUp = 12

// Subscriptions are the activities of the subscription workflow that need the database only. Each may be repeated: what
// is no longer due is not done again.
type Subscriptions struct {
	Store   *db.Store
	Clock   Clock
	Starter Starter
}

// LoadSubscription answers what the row says; it changes nothing. Fault: subscription_not_found.
func (a *Subscriptions) LoadSubscription(ctx context.Context, ref contract.Ref) (contract.Snapshot, error) {
	var out contract.Snapshot
	err := a.Store.InTx(ctx, workflowOf(ctx), a.Clock(), func(tx *db.Tx) error {
		b, err := tx.LoadSubscription(ctx, ref.EnvironmentID, ref.ID, false)
		out = snapshot(b)
		return err
	})
	return out, err
}

// RenewPeriod opens the next period: the first one, the one after a trial, or a renewal.
func (a *Subscriptions) RenewPeriod(ctx context.Context, in contract.DueInput) (contract.Snapshot, error) {
	return a.due(ctx, in)
}

// RetryPayment starts the next automatic attempt of the invoice in collection.
func (a *Subscriptions) RetryPayment(ctx context.Context, in contract.DueInput) (contract.Snapshot, error) {
	return a.due(ctx, in)
}

// EndSubscription cancels what was to end now: at the period's end, or past due for too long.
func (a *Subscriptions) EndSubscription(ctx context.Context, in contract.DueInput) (contract.Snapshot, error) {
	return a.due(ctx, in)
}

// ActOnWake does what the row asks for beside its dates: a new payment method is tried on what is unpaid.
func (a *Subscriptions) ActOnWake(ctx context.Context, in contract.DueInput) (contract.Snapshot, error) {
	return a.due(ctx, in)
}

// due does all that is due by now, in order, and looks at the payment method. The four activities above are one;
// operators see the name of the first thing that was due.
func (a *Subscriptions) due(ctx context.Context, in contract.DueInput) (contract.Snapshot, error) {
	var out contract.Snapshot
	var c *change
	err := a.Store.InTx(ctx, workflowOf(ctx), in.Now, func(tx *db.Tx) error {
		var err error
		if c, err = begin(ctx, tx, in.Ref, in.Now, a.Clock()); err != nil {
			return err
		}
		if err := c.catchUp(); err != nil {
			return err
		}
		out, err = c.save()
		failpoint.Hit(failpoint.RenewBegun)
		return err
	})
	if err != nil {
		return contract.Snapshot{}, err
	}
	failpoint.Hit(failpoint.RenewCommitted)
	startAll(ctx, a.Starter, c.refunds)
	return out, nil
}

// catchUp performs whatever is due by now, oldest first. Meanwhile due is when it should have been done; what begins
// afterwards is due now.
func (c *change) catchUp() error {
	defer func() { c.due = c.now }()
	for range maxCatchUp {
		if err := c.collectNext(); err != nil {
			return err
		}
		action, at := c.next()
		if action == subscription.ActionNone || c.now.Before(at) {
			return nil
		}
		c.due = at
		if err := c.perform(action); err != nil {
			return err
		}
	}
	return nil
}

// perform does one due thing.
func (c *change) perform(action subscription.Action) error {
	s := c.b.Subscription
	switch action {
	case subscription.ActionPaymentRetry:
		return c.step(c.indexOpen(s.CollectingInvoiceID), collection.RetryDue)
	case subscription.ActionPastDueEnd:
		return c.decide(s.ExpirePastDue(c.b.Settings, c.now))
	case subscription.ActionBegin, subscription.ActionTrialEnd, subscription.ActionRenewal, subscription.ActionCancel:
		return c.decide(s.OpenPeriod(c.facts(), c.now))
	default:
		return fault.New(fault.Internal, "action_unknown", "subscription %s waits for %q, which nobody performs", s.ID, action)
	}
}

// decide applies a decision, or passes its refusal on.
func (c *change) decide(d subscription.Decision, err error) error {
	if err != nil {
		return err
	}
	return c.apply(d)
}

// startAll starts the workflows of refunds. A failure is no fault of the change, which is committed: the reconciler
// starts what is missing.
func startAll(ctx context.Context, starter Starter, refs []contract.Ref) {
	for _, ref := range refs {
		_ = starter.StartPayment(ctx, contract.PaymentInput{Ref: ref})
	}
}

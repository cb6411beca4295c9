// Package service owns the use cases outside workflows: what the API, the command line and the dashboard do. Each is one
// transaction: lock, let the rules decide, write. What a workflow has to do afterwards is signalled after the commit, best
// effort; the reconciler signals again what stayed pending. It does not own HTTP (api) nor when things are due (workflows).
package service

import (
	"context"
	"time"

	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
)

// Performed is what a command led to.
type Performed struct {
	Subscription subscription.Subscription
	Attempt      *payment.Transaction // the attempt that the command made; nil: none
	// Wake is what to signal after the commit; nil: a signal is under way already.
	Wake *contract.Wake
	// Starts are refunds, whose workflows are to be started after the commit.
	Starts []string
}

// Command performs one command of a person or app, after all that is due by then, in the caller's transaction. The
// subscription's row lock puts commands in order. A refusal of the rules is returned as their fault; then nothing was
// written. Faults: subscription_not_found, those of lifecycle.Apply.
func Command(ctx context.Context, tx *db.Tx, environmentID, subscriptionID string, cmd lifecycle.Command) (Performed, error) {
	state, err := tx.LockSubscription(ctx, environmentID, subscriptionID)
	if err != nil {
		return Performed{}, err
	}
	if cancel, ok := cmd.(lifecycle.Cancel); ok && cancel.RefundUnused {
		if err := tx.LockCaptures(ctx, environmentID, &state); err != nil {
			return Performed{}, err
		}
	}
	state, changes, err := lifecycle.Apply(state, cmd, moment(tx.Now, tx.Real))
	if err != nil {
		return Performed{}, err
	}
	if err := tx.Write(ctx, environmentID, state, changes); err != nil {
		return Performed{}, err
	}
	out := Performed{Subscription: state.Subscription, Attempt: changes.Made(changes.Attempt), Starts: changes.Starts}
	first, err := tx.SetWakePending(ctx, environmentID, state)
	if first {
		out.Wake = &contract.Wake{Revision: state.Subscription.Revision}
	}
	return out, err
}

// ChangePlan performs the command of that name. Faults: plan_not_found, those of Command.
func ChangePlan(
	ctx context.Context, tx *db.Tx, environmentID, subscriptionID, planID string, atPeriodEnd bool,
) (Performed, error) {
	to, err := tx.Plan(ctx, environmentID, planID)
	if err != nil {
		return Performed{}, fault.From(err).In("planId")
	}
	return Command(ctx, tx, environmentID, subscriptionID, lifecycle.ChangePlan{To: to, AtPeriodEnd: atPeriodEnd})
}

// moment is what a decision needs beside its State.
func moment(now, real time.Time) lifecycle.Moment {
	return lifecycle.Moment{Now: now, Real: real, IDs: id.Source{Now: real}}
}

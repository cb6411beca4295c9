package activities

import (
	"context"
	"encoding/json"
	"errors"

	"go.temporal.io/sdk/activity"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
)

// ApplyCommand performs one command of an app or operator: everything due by then first, then the command, its events
// and the completion of its idempotency row, in one transaction. A command id seen before answers its first outcome. A
// refusal by the rules is an outcome, too: it changes nothing but is remembered, unless it passes by itself. That one leaves
// nothing behind, so the same command may be asked again.
func (a *Subscriptions) ApplyCommand(ctx context.Context, in contract.CommandInput) (contract.CommandOutput, error) {
	var out contract.CommandOutput
	var c *change
	err := a.Store.InTx(ctx, in.Now, func(tx *db.Tx) error {
		var err error
		if c, err = begin(ctx, tx, in.Ref, in.Now, a.Clock()); err != nil {
			return err
		}
		if known, ok, err := tx.CommandOutcome(ctx, c.env, in.Command.ID); err != nil || ok {
			if err == nil {
				err = json.Unmarshal(known, &out.Result)
			}
			out.Snapshot = snapshot(c.b)
			return err
		}
		found := snapshot(c.b)
		if err := c.catchUp(); err != nil {
			return err
		}
		refusal, err := c.command(in.Command, &out.Result)
		if err != nil {
			return err
		}
		if refusal != nil && !refusal.Final() {
			out.Snapshot = found
			out.Result = contract.CommandResult{Revision: found.Revision, Refusal: contract.RefusalOf(refusal)}
			return errPasses
		}
		if out.Snapshot, err = c.save(); err != nil {
			return err
		}
		out.Result.Revision, out.Result.Refusal = out.Snapshot.Revision, contract.RefusalOf(refusal)
		return c.remember(in, out.Result)
	})
	if errors.Is(err, errPasses) {
		return out, nil
	}
	if errors.Is(err, errBroken) {
		return a.giveUp(ctx, in, err)
	}
	if err != nil {
		return contract.CommandOutput{}, err
	}
	failpoint.Hit(failpoint.CommandCommitted)
	startAll(ctx, a.Starter, c.refunds)
	return out, nil
}

// errPasses rolls back a command that is refused for now, together with what was due by then: the workflow does that by
// itself, before any command. A caller who comes back often must not make the row change each time.
var errPasses = errors.New("activities: refused for now")

// errBroken tells that a decision cannot be made true: a fault of ours that asking again does not mend.
var errBroken = fault.New(fault.Internal, "command_broken", "something went wrong on our side")

// command performs it, or answers the rules' refusal, before any write. What looks like a refusal half-way through the
// writes is none: they must not commit.
func (c *change) command(cmd contract.Command, result *contract.CommandResult) (*fault.Error, error) {
	carryOut, err := c.judge(cmd, result)
	if f := fault.From(err); f != nil && f.Refusal() {
		return c.needsReview(f), nil
	}
	if err != nil {
		return nil, err
	}
	err = carryOut()
	if f := fault.From(err); f != nil && f.Refusal() {
		return nil, errBroken.Because(err)
	}
	return nil, err
}

// judge asks the rules about a command and writes nothing. What it answers makes their decision true.
func (c *change) judge(cmd contract.Command, result *contract.CommandResult) (carryOut func() error, err error) {
	var d subscription.Decision
	switch cmd.Name {
	case contract.CommandCancel:
		d, err = c.cancel(cmd)
	case contract.CommandReactivate:
		d, err = c.b.Subscription.Reactivate(c.now)
	case contract.CommandChangePlan:
		d, err = c.changePlan(cmd)
	case contract.CommandPay:
		return c.pay(cmd, result)
	default:
		err = fault.New(fault.Invalid, "command_unknown", "command %q is not known", cmd.Name)
	}
	return func() error { return c.apply(d) }, err
}

func (c *change) cancel(cmd contract.Command) (subscription.Decision, error) {
	reason := cmd.Reason
	if cmd.HasText {
		var err error
		if reason, err = c.tx.CommandText(c.ctx, c.env, cmd.ID); err != nil {
			return subscription.Decision{}, err
		}
	}
	return c.b.Subscription.Cancel(c.facts(), subscription.Cancellation{
		Reason: reason, Immediate: cmd.ImmediateEffect, RefundUnused: cmd.Refund == contract.RefundProrated,
	}, c.now)
}

func (c *change) changePlan(cmd contract.Command) (subscription.Decision, error) {
	to, err := c.tx.Plan(c.ctx, c.env, cmd.PlanID)
	if err != nil {
		return subscription.Decision{}, fault.From(err).In("planId")
	}
	return c.b.Subscription.ChangePlan(c.facts(), to, cmd.AtPeriodEnd, c.now)
}

// pay starts an attempt on the oldest open invoice.
func (c *change) pay(cmd contract.Command, result *contract.CommandResult) (carryOut func() error, err error) {
	inv, err := c.b.Subscription.Payable(c.facts(), (*money.Minor)(cmd.Amount))
	if err != nil {
		return nil, err
	}
	i := c.indexOpen(inv.ID)
	state, effect, err := c.after(i, collection.Pay)
	return func() error {
		err := c.enter(i, state, effect)
		result.TransactionID = c.lastAttempt
		return err
	}, err
}

// giveUp remembers a command that cannot be performed, so that it is answered and what waits behind it goes on. Nothing
// of it was written.
func (a *Subscriptions) giveUp(ctx context.Context, in contract.CommandInput, cause error) (contract.CommandOutput, error) {
	if activity.IsActivity(ctx) {
		activity.GetLogger(ctx).Error("a command cannot be performed", "command", in.Command.ID, "name", in.Command.Name, "error", cause)
	}
	var out contract.CommandOutput
	err := a.Store.InTx(ctx, in.Now, func(tx *db.Tx) error {
		c, err := begin(ctx, tx, in.Ref, in.Now, a.Clock())
		if err != nil {
			return err
		}
		out.Snapshot = snapshot(c.b)
		out.Result = contract.CommandResult{Revision: out.Snapshot.Revision, Refusal: contract.RefusalOf(errBroken)}
		return c.remember(in, out.Result)
	})
	return out, err
}

// remember stores the outcome under the command's id, and completes the request's idempotency row.
func (c *change) remember(in contract.CommandInput, result contract.CommandResult) error {
	outcome, err := json.Marshal(result)
	if err != nil {
		return err
	}
	if err := c.tx.InsertCommand(c.ctx, c.env, db.Command{ID: in.Command.ID, SubscriptionID: in.Ref.ID, Name: in.Command.Name, Outcome: outcome}); err != nil {
		return err
	}
	if key := in.Command.Idempotency; key != nil {
		return c.tx.PerformIdempotency(c.ctx, c.env, key.Route, key.Key)
	}
	return nil
}

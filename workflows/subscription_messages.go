package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"perennial/billing/subscription"
	"perennial/contract"
)

// listen registers every handler before the first blocking call, so that no message finds a run that does not listen.
func (s *subscriptionRun) listen(ctx workflow.Context) error {
	refuseDraining := func(workflow.Context) error {
		if s.draining {
			return errDraining
		}
		return nil
	}
	err := workflow.SetUpdateHandlerWithOptions(ctx, contract.UpdateCommand,
		func(ctx workflow.Context, c contract.Command) (contract.CommandResult, error) {
			pending := &pendingCommand{command: c}
			s.commands = append(s.commands, pending)
			if err := workflow.Await(ctx, func() bool { return pending.done || s.failed != nil }); err != nil {
				return contract.CommandResult{}, err
			}
			if !pending.done {
				return contract.CommandResult{}, s.failed
			}
			return pending.result, nil
		}, workflow.UpdateHandlerOptions{
			Description: "Perform a command: cancel, reactivate, change_plan, pay",
			Validator:   func(ctx workflow.Context, _ contract.Command) error { return refuseDraining(ctx) },
		})
	if err != nil {
		return err
	}
	err = workflow.SetUpdateHandlerWithOptions(ctx, contract.UpdateTick, s.tick, workflow.UpdateHandlerOptions{
		Description: "The test clock has moved: do what is due",
		Validator:   func(ctx workflow.Context, _ contract.Tick) error { return refuseDraining(ctx) },
	})
	if err != nil {
		return err
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		checks, wakes := workflow.GetSignalChannel(ctx, contract.SignalCheck), workflow.GetSignalChannel(ctx, contract.SignalWake)
		selector := workflow.NewSelector(ctx)
		selector.AddReceive(checks, func(c workflow.ReceiveChannel, _ bool) {
			var check contract.Check
			c.Receive(ctx, &check)
			s.addCheck(check.TransactionID)
		})
		selector.AddReceive(wakes, func(c workflow.ReceiveChannel, _ bool) {
			c.Receive(ctx, nil)
			s.woken = true
		})
		for {
			selector.Select(ctx)
		}
	})
	return nil
}

// tick moves the subscription's time and answers when all that is due by then is done.
func (s *subscriptionRun) tick(ctx workflow.Context, tick contract.Tick) (contract.TickResult, error) {
	s.ticks++
	defer func() { s.ticks-- }()
	if err := workflow.Await(ctx, func() bool { return s.snap != nil }); err != nil {
		return contract.TickResult{}, err
	}
	if tick.Now.After(s.snap.ClockNow) {
		s.snap.ClockNow = tick.Now
	}
	if err := workflow.Await(ctx, func() bool { return s.quiet(ctx) || s.failed != nil }); err != nil {
		return contract.TickResult{}, err
	}
	return contract.TickResult{Revision: s.snap.Revision}, nil
}

func (s *subscriptionRun) addCheck(transactionID string) {
	for _, known := range s.checks {
		if known == transactionID {
			return
		}
	}
	s.checks = append(s.checks, transactionID)
}

// drainSignals reads what arrived but was not read: a signal that a run leaves unread is lost.
func (s *subscriptionRun) drainSignals(ctx workflow.Context) {
	checks, wakes := workflow.GetSignalChannel(ctx, contract.SignalCheck), workflow.GetSignalChannel(ctx, contract.SignalWake)
	var check contract.Check
	for checks.ReceiveAsync(&check) {
		s.addCheck(check.TransactionID)
	}
	for wakes.ReceiveAsync(nil) {
		s.woken = true
	}
}

// sleep waits for the first of: the next date, the next check of a payment, the end of the one in flight, a message.
func (s *subscriptionRun) sleep(ctx workflow.Context) {
	boundary := s.snap.NextAt
	if s.onClock() || s.snap.NextAction == string(subscription.ActionNone) || s.leavesBoundary(ctx) {
		boundary = time.Time{}
	}
	s.boundary.set(ctx, boundary, s.snap.NextAction+" of "+s.ref.ID)
	check := time.Time{}
	if s.snap.Live != nil && s.payment.idle() {
		check = s.snap.Live.CheckAt
	}
	s.check.set(ctx, check, "ask the provider about "+s.liveID())
	s.show(ctx, s.snap.NextAction)
	err := workflow.Await(ctx, func() bool {
		return s.boundary.rang() || s.check.rang() || s.payment.ready() || s.due(ctx) ||
			len(s.commands) > 0 || s.woken || s.payment.idle() && len(s.checks) > 0 || s.over()
	})
	if err != nil {
		s.failed = err
	}
}

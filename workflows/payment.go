package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"perennial/billing/payment"
	"perennial/contract"
)

// askGap is the least pause between two exchanges without a signal, whatever an activity returns: a run never spins.
const askGap = time.Second

// Payment brings one transaction that no subscription workflow owns to its end: a charge of its own, a refund, or word
// about a transaction whose owner has closed. A parked one waits for a person's or the provider's word.
func Payment(ctx workflow.Context, in contract.PaymentInput) error {
	checks := workflow.GetSignalChannel(ctx, contract.SignalCheck)
	asked := checks.ReceiveAsync(nil)
	for sent := false; ; sent = true {
		summary := "charge"
		if sent || asked {
			summary = "check"
		}
		var out contract.ResolveOutput
		resolve := contract.ResolveInput{EnvironmentID: in.Ref.EnvironmentID, TransactionID: in.Ref.ID, Asked: asked}
		if err := atProvider(ctx, summary, 0, resolve).Get(ctx, &out); err != nil {
			return err
		}
		asked = drain(checks)
		if out.Status != payment.Pending && !asked {
			return nil
		}
		if asked {
			continue
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, Payment, in)
		}
		asked = waitForCheck(ctx, checks, in.Ref.ID, out)
	}
}

// waitForCheck sleeps until it is time to ask the provider again, or word comes; it answers whether word came.
func waitForCheck(
	ctx workflow.Context, checks workflow.ReceiveChannel, transactionID string, out contract.ResolveOutput,
) bool {
	var next alarm
	at, why := out.CheckAt, "ask the provider again"
	if out.Parked {
		at, why = time.Time{}, ""
	} else {
		at = later(at, workflow.Now(ctx).Add(askGap))
	}
	next.set(ctx, at, why)
	asked := false
	selector := workflow.NewSelector(ctx).AddReceive(checks, func(c workflow.ReceiveChannel, _ bool) {
		c.Receive(ctx, nil)
		asked = true
	})
	if next.fired != nil {
		selector.AddFuture(next.fired, func(workflow.Future) {})
	}
	details := "- **Waits for**: the provider's decision\n- **Asks again at**: " + stamp(at) + "\n"
	switch {
	case out.Parked:
		details = "- **Needs review**: " + inReview(transactionID) + "\n"
	case out.Held.Why != "":
		details = "- **Waits for**: an account that can take it. " + out.Held.Why + "\n- **Waits since**: " +
			stamp(out.Held.Since) + "\n- **Tries again at**: " + stamp(at) + "\n"
	}
	workflow.SetCurrentDetails(ctx, details)
	selector.Select(ctx)
	next.set(ctx, time.Time{}, "")
	return asked
}

// drain reads all signals that have arrived; true if there was any.
func drain(c workflow.ReceiveChannel) bool {
	read := false
	for c.ReceiveAsync(nil) {
		read = true
	}
	return read
}

package api

import (
	"context"

	"perennial/contract"
)

// Engine is all that api asks of Temporal. Reads never go there.
type Engine interface {
	// StartSubscription starts a subscription's workflow; one that runs already is as good.
	StartSubscription(ctx context.Context, in contract.SubscriptionStart) error
	// Command has a subscription's workflow carry out a command, and starts the workflow if it was lost. contract.ErrFinished: the
	// subscription is canceled and nothing of it is pending, so that only a payment may start the workflow again.
	// fault.Unavailable: nobody answered in time, and the command may or may not have been carried out; its id makes a
	// repeat safe.
	Command(ctx context.Context, in contract.SubscriptionStart, cmd contract.Command) (contract.CommandResult, error)
	// Wake makes a subscription's workflow look at its row.
	Wake(ctx context.Context, ref contract.Ref) error
	// Check makes the owner of a transaction look at it: the subscription's workflow, or the transaction's own, which is
	// started for it where the owner has ended.
	Check(ctx context.Context, owner contract.Owner, check contract.Check) error
	// StartPayment starts the workflow of a transaction that no subscription workflow owns.
	StartPayment(ctx context.Context, in contract.PaymentInput) error
	// Advance makes a test clock begin to move.
	Advance(ctx context.Context, ref contract.Ref, advance contract.Advance) (contract.AdvanceResult, error)
}

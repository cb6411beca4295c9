package api

import (
	"context"

	"perennial/contract"
)

// Engine is all that api asks of Temporal: the commands. Reads and creations never go there.
type Engine interface {
	// Command has a subscription's workflow carry out a command, and starts the workflow if it was lost.
	// contract.ErrFinished: the subscription is canceled and nothing of it is pending, so that only a payment may start
	// the workflow again. fault.Unavailable: nobody answered in time, and the command may or may not have been carried
	// out; its id makes a repeat safe.
	Command(ctx context.Context, in contract.SubscriptionStart, cmd contract.Command) (contract.CommandResult, error)
	// Advance makes a test clock begin to move.
	Advance(ctx context.Context, ref contract.Ref, advance contract.Advance) (contract.AdvanceResult, error)
}

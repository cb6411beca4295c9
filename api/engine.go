package api

import (
	"context"
	"errors"

	"perennial/contract"
)

// Engine is all that api asks of Temporal. Reads never go there.
type Engine interface {
	// StartSubscription starts a subscription's workflow; one that runs already is as good.
	StartSubscription(ctx context.Context, in SubscriptionStart) error
	// Command has a subscription's workflow carry out a command, and starts the workflow if it was lost. ErrFinished: the
	// subscription is canceled and nothing of it is pending, so that only a payment may start the workflow again. fault.Unavailable: nobody answered in time, and the command
	// may or may not have been carried out; its id makes a repeat safe.
	Command(ctx context.Context, in SubscriptionStart, cmd contract.Command) (contract.CommandResult, error)
	// Wake makes a subscription's workflow look at its row.
	Wake(ctx context.Context, ref contract.Ref) error
	// Check makes the owner of a transaction look at it: the subscription's workflow, or the transaction's own, which is
	// started for it where the owner has ended.
	Check(ctx context.Context, owner Owner, check contract.Check) error
	// StartPayment starts the workflow of a transaction that no subscription workflow owns.
	StartPayment(ctx context.Context, in contract.PaymentInput) error
	// Advance makes a test clock begin to move.
	Advance(ctx context.Context, ref contract.Ref, advance contract.Advance) (contract.AdvanceResult, error)
}

// SubscriptionStart is what starts a subscription's workflow: its input, and what operators search it by.
type SubscriptionStart struct {
	Input                                  contract.SubscriptionInput
	CustomerID, PlanID, Status, NextAction string
}

// Owner is whose workflow looks after a transaction.
type Owner struct {
	EnvironmentID  string
	TransactionID  string
	SubscriptionID string // empty: the transaction's own workflow
}

// ErrFinished tells that a workflow has ended for good.
var ErrFinished = errors.New("api: the workflow has finished")

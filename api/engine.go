package api

import (
	"context"

	"perennial/contract"
)

// Engine is all that api asks of Temporal, always after a commit and best effort. Reads and answers never depend on it.
type Engine interface {
	// StartSubscription starts a subscription's workflow; one that runs already is as good.
	StartSubscription(ctx context.Context, in contract.SubscriptionStart) error
	// Wake signals a subscription's workflow under a name of contract's, and starts it where it does not run.
	Wake(ctx context.Context, ref contract.Ref, signal string, wake contract.Wake) error
	// Check makes the owner of a transaction look at it: the subscription's workflow, or the transaction's own, which is
	// started for it where the owner has ended.
	Check(ctx context.Context, owner contract.Owner, check contract.Check) error
	// StartPayment starts the workflow of a transaction that no subscription workflow owns.
	StartPayment(ctx context.Context, in contract.PaymentInput) error
	// AdvanceClock tells a test clock's workflow that there is a target to move to.
	AdvanceClock(ctx context.Context, ref contract.Ref) error
}

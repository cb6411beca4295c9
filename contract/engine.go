package contract

import "context"

// Engine starts and signals workflows. A workflow that runs already, or has finished, counts as started.
type Engine interface {
	StartSubscription(ctx context.Context, in SubscriptionStart) error
	StartPayment(ctx context.Context, in PaymentInput) error
	StartErasure(ctx context.Context, in ErasureInput) error
	// AdvanceClock signals a test clock's workflow that its row has a new target,
	// and starts the workflow where none runs.
	AdvanceClock(ctx context.Context, ref Ref) error
	// Wake signals a subscription's workflow under a name of this package, and starts it where it does not run.
	Wake(ctx context.Context, ref Ref, signal string, wake Wake) error
	// WakeEndpoint signals a webhook endpoint's workflow, and starts it where none runs.
	WakeEndpoint(ctx context.Context, ref Ref) error
	// WakeSender signals the workflow of a sender of mail, and starts it where none runs.
	WakeSender(ctx context.Context, ref Ref) error
	// Check has the owner of a transaction ask the provider: the subscription's workflow, or the transaction's own,
	// which is started for it where the owner has ended.
	Check(ctx context.Context, owner Owner, check Check) error
}

// Package activities owns what happens atomically with what: each activity is one database transaction, or one call to
// a provider between two. It asks the rules in billing what to do, and never decides about money itself. It does not own
// when anything happens (workflows) nor SQL (db).
package activities

import (
	"context"
	"time"

	"perennial/contract"
	"perennial/db"
	"perennial/providers"
)

// Clock gives real time. Subscriptions' own time always comes in with the input.
type Clock func() time.Time

// Gateway opens the adapter that an environment's provider configuration stands for.
type Gateway interface {
	Provider(ctx context.Context, config db.ProviderConfig) (providers.Provider, error)
}

// Starter starts the workflow of a transaction that no subscription owns. It is best effort: what it misses the
// reconciler starts.
type Starter interface {
	StartPayment(ctx context.Context, in contract.PaymentInput) error
}

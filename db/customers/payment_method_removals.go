package customers

import (
	"context"
	"time"

	"perennial/billing/customer"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// removalPatience is the time for which a removal waits for payments that have begun with the method.
const removalPatience = 24 * time.Hour

// MethodRemoval is a payment method that its provider is to remove.
type MethodRemoval struct {
	customer.Method
	Shared bool // another payment method has the same token
	Tries  int  // failed ones
}

// DueRemovals lists payment methods that providers are to remove by now. Global: the reconciler.
func (r Reader) DueRemovals(ctx context.Context, now time.Time, limit int) ([]core.Ref, error) {
	found, err := core.Queries.PaymentMethodListRemovals(ctx, r.Lists(), dbsqlc.PaymentMethodListRemovalsParams{
		DueBy: &now, PatienceSince: now.Add(-removalPatience), RowLimit: core.RowLimit(limit),
	})
	return core.Map(found, func(f dbsqlc.PaymentMethodListRemovalsRow) core.Ref { return core.Ref(f) }),
		core.Translate("PaymentMethodListRemovals", err)
}

// Removal reads a payment method that its provider is to remove. Fault: payment_method_not_found, also where that is
// done.
func (r Reader) Removal(ctx context.Context, environmentID, id string) (MethodRemoval, error) {
	row, err := core.Queries.PaymentMethodGetRemoval(ctx, r.Handle,
		dbsqlc.PaymentMethodGetRemovalParams{EnvironmentID: environmentID, ID: id})
	return MethodRemoval{MethodFromDB(row.PaymentMethod, false), row.IsShared, row.PaymentMethod.RemovalTries},
		core.ReadError("payment_method", err)
}

// EndRemoval notes that no provider has a removed payment method any more, and erases its token.
func (tx *Tx) EndRemoval(ctx context.Context, environmentID, id string) error {
	return core.Queries.PaymentMethodEndRemoval(ctx, tx.Pipe,
		dbsqlc.PaymentMethodEndRemovalParams{EnvironmentID: environmentID, ID: id})
}

// PostponeRemoval notes that a provider has not removed a payment method, and when it is asked again.
func (tx *Tx) PostponeRemoval(ctx context.Context, environmentID, id string, at time.Time) error {
	return core.Queries.PaymentMethodPostponeRemoval(ctx, tx.Pipe,
		dbsqlc.PaymentMethodPostponeRemovalParams{EnvironmentID: environmentID, ID: id, RemovalDueAt: &at})
}

package customers

import (
	"context"
	"time"

	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// ExpiringMethod names a payment method whose card expires soon.
type ExpiringMethod struct {
	core.Ref
	CustomerID string
}

// ExpiringMethods lists payment methods in real time whose expiry is to be announced by now. Global: the reconciler.
func (r Reader) ExpiringMethods(ctx context.Context, now time.Time, limit int) ([]ExpiringMethod, error) {
	found, err := core.Queries.PaymentMethodListExpiring(ctx, r.Lists(),
		dbsqlc.PaymentMethodListExpiringParams{DueBy: &now, RowLimit: core.RowLimit(limit)})
	return core.Map(found, func(f dbsqlc.PaymentMethodListExpiringRow) ExpiringMethod {
		return ExpiringMethod{core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, f.CustomerID}
	}), core.Translate("PaymentMethodListExpiring", err)
}

// ExpiringMethodsOnClock lists the next hundred payment methods of the clock's customers whose expiry is to be
// announced by then.
func (r Reader) ExpiringMethodsOnClock(
	ctx context.Context, environmentID, clockID string, by time.Time,
) ([]ExpiringMethod, error) {
	found, err := core.Queries.PaymentMethodListExpiringOnClock(ctx, r.Handle,
		dbsqlc.PaymentMethodListExpiringOnClockParams{EnvironmentID: environmentID, TestClockID: &clockID, DueBy: &by})
	return core.Map(found, func(f dbsqlc.PaymentMethodListExpiringOnClockRow) ExpiringMethod {
		return ExpiringMethod{core.Ref{EnvironmentID: environmentID, ID: f.ID}, f.CustomerID}
	}), core.Translate("PaymentMethodListExpiringOnClock", err)
}

// NoteExpiry notes that the expiry of a payment method is announced. The caller holds the customer's lock.
func (tx *Tx) NoteExpiry(ctx context.Context, environmentID, id string) error {
	return core.Queries.PaymentMethodNoteExpiry(ctx, tx.Pipe,
		dbsqlc.PaymentMethodNoteExpiryParams{EnvironmentID: environmentID, ID: id})
}

package due

import (
	"cmp"
	"context"
	"slices"
	"time"

	"perennial/activities/execution"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/db"
)

// AnnounceExpiry announces once that the card of a payment method expires soon. Payment methods have no workflow: the
// reconciler finds those in real time, and a step of their clock the others.
func AnnounceExpiry(ctx context.Context, store *db.Store, due db.ExpiringMethod, now time.Time) error {
	return execution.InTx(ctx, store, now, func(tx *db.Tx) error {
		state, err := tx.Customers.LockState(ctx, due.EnvironmentID, due.CustomerID)
		if err != nil {
			return err
		}
		methods, err := tx.Customers.AllPaymentMethods(ctx, due.EnvironmentID, due.CustomerID)
		if err != nil {
			return err
		}
		at := cmp.Or(state.ClockNow, now)
		i := slices.IndexFunc(methods, func(m customer.Method) bool { return m.ID == due.ID })
		// It may have been removed or replaced since it was found, or announced by another pass.
		if i < 0 || methods[i].Card.NoticeAt().IsZero() || methods[i].Card.NoticeAt().After(at) || methods[i].Noticed {
			return nil
		}
		m := methods[i]
		if err := tx.Customers.NoteExpiry(ctx, due.EnvironmentID, m.ID); err != nil {
			return err
		}
		return tx.Emit(ctx, due.EnvironmentID, event.New(event.MethodExpiring{
			ID: due.CustomerID, PaymentMethodID: m.ID, Expiry: m.Card.Expiry(), Default: m.Default,
		}, at))
	})
}

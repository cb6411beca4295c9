package service

import (
	"context"

	"perennial/billing/event"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/db"
)

// EraseCustomer cancels every subscription of a customer and removes everything personal, in the caller's transaction. What
// money moved stays, under the pseudonym of the id. It returns what the cancellations led to. Fault: customer_not_found,
// for one who is erased already.
func EraseCustomer(ctx context.Context, tx *db.Tx, environmentID, customerID string) ([]Performed, error) {
	ids, err := tx.LockCustomerToErase(ctx, environmentID, customerID)
	if err != nil {
		return nil, err
	}
	cancel := lifecycle.Cancel{Reason: subscription.ReasonCustomerDeleted, Immediate: true}
	var canceled []Performed
	for _, id := range ids {
		performed, err := Command(ctx, tx, environmentID, id, cancel)
		if err != nil {
			return nil, err
		}
		canceled = append(canceled, performed)
	}
	state, err := tx.LockCustomerState(ctx, environmentID, customerID)
	if err != nil {
		return nil, err
	}
	if err := tx.EraseCustomer(ctx, environmentID, customerID); err != nil {
		return nil, err
	}
	now := tx.Now
	if !state.ClockNow.IsZero() {
		now = state.ClockNow
	}
	return canceled, tx.Emit(ctx, environmentID, event.Event{
		Type: event.CustomerDeleted, ObjectID: customerID, CustomerID: customerID, Data: map[string]any{"id": customerID}, OccurredAt: now,
	})
}

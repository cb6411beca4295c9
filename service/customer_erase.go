package service

import (
	"context"

	"perennial/billing/event"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/db"
)

// EraseCustomer cancels every subscription of a customer and removes everything personal, in one transaction. What
// money moved stays, under the pseudonym of the id. Fault: customer_not_found, for one who is erased already.
func (s *Service) EraseCustomer(ctx context.Context, by Caller, customerID string, around Around[string]) error {
	return around.transact(ctx, s, by, func(tx *db.Tx) (string, error) {
		return customerID, eraseCustomer(ctx, tx, by.EnvironmentID, customerID)
	})
}

func eraseCustomer(ctx context.Context, tx *db.Tx, environmentID, customerID string) error {
	subscriptionIDs, err := tx.LockCustomerToErase(ctx, environmentID, customerID)
	if err != nil {
		return err
	}
	cancel := lifecycle.Cancel{Reason: subscription.ReasonCustomerDeleted, Immediate: true}
	for _, id := range subscriptionIDs {
		if _, err := Command(ctx, tx, environmentID, id, cancel); err != nil {
			return err
		}
	}
	state, err := tx.LockCustomerState(ctx, environmentID, customerID)
	if err != nil {
		return err
	}
	if err := tx.EraseCustomer(ctx, environmentID, customerID); err != nil {
		return err
	}
	now := tx.Now
	if !state.ClockNow.IsZero() {
		now = state.ClockNow
	}
	return tx.Emit(ctx, environmentID, event.New(event.CustomerDeleted{ID: customerID}, now))
}

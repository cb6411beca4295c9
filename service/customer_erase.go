package service

import (
	"context"
	"errors"

	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/db"
)

// erasurePage is how many subscriptions of a customer are read at a time.
const erasurePage = 100

// EraseCustomer ends the customer's subscriptions by cancel, then removes everything personal. A subscription that
// another request created meanwhile is ended by a second look: db refuses to create one once the customer is erased. A
// repeat of an erasure that was interrupted (again) goes on where it was. Fault: customer_not_found, for one who is
// erased already.
func (s *Service) EraseCustomer(
	ctx context.Context, by Caller, c customer.Customer, again bool, cancel func(context.Context, subscription.Subscription) error,
) error {
	if !c.ErasedAt.IsZero() && !again {
		return db.ErrCustomerNotFound
	}
	if err := s.cancelAll(ctx, by, c.ID, cancel); err != nil {
		return err
	}
	// An earlier run of the same request may have erased the customer, also since this one was let in.
	if err := s.erase(ctx, by, c); err != nil && (!again || !errors.Is(err, db.ErrCustomerNotFound)) {
		return err
	}
	return s.cancelAll(ctx, by, c.ID, cancel)
}

func (s *Service) erase(ctx context.Context, by Caller, c customer.Customer) error {
	now, err := customerNow(ctx, s.store.Reader, by.EnvironmentID, c, s.now())
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, by.Actor, s.now(), func(tx *db.Tx) error {
		if err := tx.EraseCustomer(ctx, by.EnvironmentID, c.ID); err != nil {
			return err
		}
		return tx.Emit(ctx, by.EnvironmentID, event.Event{
			Type: event.CustomerDeleted, ObjectID: c.ID, CustomerID: c.ID, Data: map[string]any{"id": c.ID}, OccurredAt: now,
		})
	})
}

// cancelAll ends every subscription of a customer that is not canceled.
func (s *Service) cancelAll(
	ctx context.Context, by Caller, customerID string, cancel func(context.Context, subscription.Subscription) error,
) error {
	page := db.Page{Limit: erasurePage}
	for {
		subs, more, err := s.store.Subscriptions(ctx, by.EnvironmentID, db.SubscriptionFilter{CustomerID: customerID}, page)
		if err != nil {
			return err
		}
		for _, sub := range subs {
			page.StartingAfter = sub.ID
			if sub.Status == subscription.Canceled {
				continue
			}
			if err := cancel(ctx, sub); err != nil && fault.From(err).Kind != fault.Conflict { // canceled meanwhile: as good
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

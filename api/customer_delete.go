package api

import (
	"context"
	"net/http"

	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
)

// Deleted answers a DELETE.
type Deleted struct {
	ID      string `json:"id" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Deleted bool   `json:"deleted"`
}

// deleteCustomer ends the customer's subscriptions, then erases the customer. A subscription that another request
// created meanwhile is ended by a second look: db lets nobody create one once the customer is erased.
func (s *Server) deleteCustomer(ctx context.Context, c *call, in *ByID) (*reply[Deleted], error) {
	return command(ctx, s, c, http.StatusOK, func(ctx context.Context, r run) (made[Deleted], error) {
		cust := resource[credited](c).Customer
		if !cust.ErasedAt.IsZero() && !r.again {
			return made[Deleted]{}, notFound("customer_not_found")
		}
		if err := s.cancelAll(ctx, c, cust.ID, r); err != nil {
			return made[Deleted]{}, err
		}
		// An earlier run of the same request may have erased the customer, also since this one was let in.
		if err := s.erase(ctx, c, cust); err != nil && (!r.again || fault.From(err).Kind != fault.NotFound) {
			return made[Deleted]{}, err
		}
		return made[Deleted]{resource: Deleted{ID: cust.ID, Deleted: true}}, s.cancelAll(ctx, c, cust.ID, r)
	})
}

// erase removes everything personal and says so. Fault: customer_not_found, for one who is erased already.
func (s *Server) erase(ctx context.Context, c *call, cust customer.Customer) error {
	now, err := customerNow(ctx, s.store.Reader, c.environmentID, cust, s.now())
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, s.now(), func(tx *db.Tx) error {
		if err := tx.EraseCustomer(ctx, c.environmentID, cust.ID); err != nil {
			return err
		}
		return tx.Emit(ctx, c.environmentID, event.Event{
			Type: event.CustomerDeleted, ObjectID: cust.ID, CustomerID: cust.ID, Data: map[string]any{"id": cust.ID}, OccurredAt: now,
		})
	})
}

// cancelAll cancels every subscription of a customer that is not canceled. The command ids follow from the request's, so
// that a repeat does nothing twice.
func (s *Server) cancelAll(ctx context.Context, c *call, customerID string, r run) error {
	page := db.Page{Limit: maxPage, Unsettled: true}
	for {
		subs, more, err := s.store.Subscriptions(ctx, c.environmentID, db.SubscriptionFilter{CustomerID: customerID}, page)
		if err != nil {
			return err
		}
		for _, sub := range subs {
			page.StartingAfter = sub.ID
			if sub.Status == subscription.Canceled {
				continue
			}
			err := s.perform(ctx, c, sub, contract.Command{
				ID: r.commandID + "/" + sub.ID, Name: contract.CommandCancel, Reason: subscription.ReasonCustomerDeleted, ImmediateEffect: true,
			})
			if err != nil && fault.From(err).Kind != fault.Conflict { // canceled by somebody else just now: as good
				return err
			}
		}
		if !more {
			return nil
		}
	}
}

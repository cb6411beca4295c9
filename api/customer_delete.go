package api

import (
	"context"
	"errors"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
)

// Deleted answers a DELETE.
type Deleted struct {
	ID      string `json:"id" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Deleted bool   `json:"deleted"`
}

// deleteCustomer ends the customer's subscriptions, then erases the customer. The command ids follow from the
// request's, so that a repeat does nothing twice.
func (s *Server) deleteCustomer(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[Deleted], error) {
	return httpkit.Command(ctx, s.kit, c, http.StatusOK, func(ctx context.Context, r httpkit.Run) (httpkit.Made[Deleted], error) {
		cust := httpkit.Resource[credited](c).Customer
		err := s.service.EraseCustomer(ctx, caller(c), cust, r.Again, func(ctx context.Context, sub subscription.Subscription) error {
			return s.perform(ctx, c, sub, contract.Command{
				ID: r.CommandID + "/" + sub.ID, Name: contract.CommandCancel, Reason: subscription.ReasonCustomerDeleted, ImmediateEffect: true,
			})
		})
		if errors.Is(err, db.ErrCustomerNotFound) {
			err = httpkit.NotFound(db.ErrCustomerNotFound)
		}
		return httpkit.Made[Deleted]{Resource: Deleted{ID: cust.ID, Deleted: true}}, err
	})
}

package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/contract"
	"perennial/db"
	"perennial/service"
)

// Deleted answers a DELETE.
type Deleted struct {
	ID      string `json:"id" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Deleted bool   `json:"deleted"`
}

// deleteCustomer cancels the customer's subscriptions and erases the customer, in one transaction.
func (s *Server) deleteCustomer(ctx context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Deleted], error) {
	id := httpkit.Resource[credited](c).Customer.ID
	var canceled []service.Performed
	out, err := httpkit.Command(ctx, s.kit, c, http.StatusOK, func(tx *db.Tx) (httpkit.Made[Deleted], error) {
		var err error
		canceled, err = service.EraseCustomer(ctx, tx, c.EnvironmentID, id)
		return httpkit.Made[Deleted]{Resource: Deleted{ID: id, Deleted: true}}, err
	})
	if err == nil && out.Replayed == "" {
		s.follow(ctx, c, contract.CommandCancel, canceled...)
	}
	return out, err
}

package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/service"
)

// Deleted answers a DELETE.
type Deleted struct {
	ID      string `json:"id" example:"cust_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Deleted bool   `json:"deleted"`
}

// deleteCustomer erases the customer; a workflow cancels the subscriptions and erases the rest. The answer does not
// wait for that: a customer with many subscriptions takes the workflow a while, but from the commit on nothing can be
// charged (ADR 23).
func (s *Server) deleteCustomer(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[Deleted], error) {
	id := httpkit.Resource[credited](c).Customer.ID
	return commandOf(ctx, s, c, http.StatusOK,
		func(id string) httpkit.Made[Deleted] {
			return httpkit.Made[Deleted]{Resource: Deleted{ID: id, Deleted: true}}
		},
		func(around service.Around[string]) error { return s.service.EraseCustomer(ctx, caller(c), id, around) })
}

package customers

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
)

// deleteCustomer erases the customer; a workflow cancels the subscriptions and erases the rest. The response does not
// wait for the workflow, which takes a while for many subscriptions; but no charge is possible from the commit on (ADR
// 23).
func (h *Handler) deleteCustomer(
	ctx context.Context, c *httpkit.Call, _ *httpkit.ByID,
) (*httpkit.Reply[view.Deleted], error) {
	id := httpkit.Resource[credited](c).Customer.ID
	return usecase.Command(ctx, h.kit, c, http.StatusOK,
		func(id string) httpkit.Made[view.Deleted] {
			return httpkit.Made[view.Deleted]{Resource: view.Deleted{ID: id, Deleted: true}}
		},
		func(around usecase.Around[string]) error {
			return h.service.EraseCustomer(ctx, usecase.Caller(c), id, around)
		})
}

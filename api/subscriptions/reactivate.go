package subscriptions

import (
	"context"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/lifecycle"
)

// reactivateSubscription undoes a cancellation that is scheduled. A subscription that has ended stays so: its last
// invoice and events are out, and a customer who comes back subscribes anew.
func (h *Handler) reactivateSubscription(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Subscription], error) {
	return h.command(ctx, c, lifecycle.Reactivate{})
}

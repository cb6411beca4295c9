package subscriptions

import (
	"context"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/lifecycle"
)

// reactivateSubscription undoes a scheduled cancellation. A canceled subscription cannot return: its last invoice and
// events are sent, so the customer subscribes again.
func (h *Handler) reactivateSubscription(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Subscription], error) {
	return h.command(ctx, c, lifecycle.Reactivate{})
}

package subscriptions

import (
	"context"

	"perennial/api/httpkit"
	"perennial/billing/lifecycle"
)

// reactivateSubscription undoes a scheduled cancellation. A canceled subscription cannot return: its last invoice and
// events are sent, so the customer subscribes again.
func (h *Handler) reactivateSubscription(
	ctx context.Context, c *httpkit.Call, in *previewedInput,
) (*httpkit.Reply[Subscription], error) {
	return h.commandAsPreviewed(ctx, c, lifecycle.Reactivate{}, in.token())
}

package subscriptions

import (
	"context"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/lifecycle"
)

// resumeCollection ends a pause that a dunning policy began.
func (h *Handler) resumeCollection(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Subscription], error) {
	return h.command(ctx, c, lifecycle.ResumeCollection{})
}

package api

import (
	"context"

	"perennial/api/httpkit"
	"perennial/billing/lifecycle"
)

func (s *Server) reactivateSubscription(
	ctx context.Context, c *httpkit.Call, _ *fieldlessInput,
) (*httpkit.Reply[Subscription], error) {
	return s.command(ctx, c, lifecycle.Reactivate{})
}

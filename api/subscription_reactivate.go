package api

import (
	"context"

	"perennial/api/httpkit"
	"perennial/billing/lifecycle"
)

func (s *Server) reactivateSubscription(ctx context.Context, c *httpkit.Call, _ *reactivateInput) (*httpkit.Reply[Subscription], error) {
	return s.command(ctx, c, lifecycle.Reactivate{})
}

type reactivateInput struct {
	httpkit.ByID
	Body *Empty
}

// Empty is a body without fields.
type Empty struct{}

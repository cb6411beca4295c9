package api

import (
	"context"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/lifecycle"
)

// resumeCollection ends the pause that a dunning policy began.
func (s *Server) resumeCollection(
	ctx context.Context, c *httpkit.Call, _ *view.FieldlessInput,
) (*httpkit.Reply[Subscription], error) {
	return s.command(ctx, c, lifecycle.ResumeCollection{})
}

package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/contract"
)

func (s *Server) reactivateSubscription(
	ctx context.Context, c *httpkit.Call, _ *reactivateInput,
) (*httpkit.Reply[Subscription], error) {
	return httpkit.Command(ctx, s.kit, c, http.StatusOK, func(ctx context.Context, r httpkit.Run) (httpkit.Made[Subscription], error) {
		return s.performAndRead(ctx, c, contract.Command{ID: r.CommandID, Idempotency: completes(r), Name: contract.CommandReactivate})
	})
}

type reactivateInput struct {
	httpkit.ByID
	Body *Empty
}

// Empty is a body without fields.
type Empty struct{}

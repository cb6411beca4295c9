package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/invoice"
	"perennial/service"
)

func (s *Server) voidInvoice(ctx context.Context, c *httpkit.Call, _ *fieldlessInput) (*httpkit.Reply[Invoice], error) {
	return s.giveUp(ctx, c, s.service.VoidInvoice)
}

func (s *Server) markUncollectible(
	ctx context.Context, c *httpkit.Call, _ *fieldlessInput,
) (*httpkit.Reply[Invoice], error) {
	return s.giveUp(ctx, c, s.service.MarkUncollectible)
}

func (s *Server) giveUp(
	ctx context.Context, c *httpkit.Call,
	perform func(context.Context, service.Caller, string, service.Around[invoice.Invoice]) error,
) (*httpkit.Reply[Invoice], error) {
	inv := httpkit.Resource[invoice.Invoice](c)
	made := func(i invoice.Invoice) httpkit.Made[Invoice] {
		return httpkit.Made[Invoice]{Resource: renderInvoice(i)}
	}
	return commandOf(ctx, s, c, http.StatusOK, made,
		func(around service.Around[invoice.Invoice]) error { return perform(ctx, caller(c), inv.ID, around) },
		s.admit(inv.SubscriptionID))
}

package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/invoice"
	"perennial/db"
	"perennial/service"
)

type giveUpInput struct {
	httpkit.ByID
	Body *Empty
}

func (s *Server) voidInvoice(ctx context.Context, c *httpkit.Call, _ *giveUpInput) (*httpkit.Reply[Invoice], error) {
	return s.giveUp(ctx, c, s.service.VoidInvoice)
}

func (s *Server) markUncollectible(ctx context.Context, c *httpkit.Call, _ *giveUpInput) (*httpkit.Reply[Invoice], error) {
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
	return httpkit.Command(ctx, s.kit, c, http.StatusOK, made,
		func(before func(*db.Tx) error, keep func(*db.Tx, invoice.Invoice) error) error {
			return perform(ctx, caller(c), inv.ID, service.Around[invoice.Invoice]{Before: before, After: keep})
		}, s.admit(inv.SubscriptionID))
}

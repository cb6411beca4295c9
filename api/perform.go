package api

import (
	"cmp"
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service"
)

// admit lets a bounded number of commands of one subscription or customer in. The rest are refused at once with 429:
// all of them wait for one row lock, so that a crowd would hold the connections of the pool and take every other
// customer's requests along.
func (s *Server) admit(id string) httpkit.Admission {
	return func() (func(), error) { return s.gate.Enter(id) }
}

// admitOwner is admit for a decision about a payment, which is written under the lock of its subscription, or of the
// customer where it has none.
func (s *Server) admitOwner(t payment.Transaction) httpkit.Admission {
	return s.admit(cmp.Or(t.SubscriptionID, t.CustomerID))
}

// admitInvoice is admit for a command about an invoice: of its subscription, or of the customer where it is a manual one.
func (s *Server) admitInvoice(inv invoice.Invoice) httpkit.Admission {
	return s.admit(cmp.Or(inv.SubscriptionID, inv.CustomerID))
}

// commandOf runs a use case that changes what exists already: what httpkit does in its transaction is its Around.
func commandOf[R, T any](
	ctx context.Context, s *Server, c *httpkit.Call, status int, made func(R) httpkit.Made[T],
	perform func(around service.Around[R]) error, admit ...httpkit.Admission,
) (*httpkit.Reply[T], error) {
	return httpkit.Command(ctx, s.kit, c, status, made, func(before func(*db.Tx) error, keep func(*db.Tx, R) error) error {
		return perform(service.Around[R]{Before: before, After: keep})
	}, admit...)
}

// command performs one on the subscription of the path, and answers with the subscription as it left it.
func (s *Server) command(
	ctx context.Context, c *httpkit.Call, cmd lifecycle.Command,
) (*httpkit.Reply[Subscription], error) {
	return s.onSubscription(ctx, c, func(id string, around service.Around[service.Performed]) error {
		return s.service.Command(ctx, caller(c), id, cmd, around)
	})
}

// onSubscription is for commands that need more than the subscription. The one of the path was read with the key, so a
// foreign one has been refused before this; the command locks it and reads it again.
func (s *Server) onSubscription(
	ctx context.Context, c *httpkit.Call, perform func(id string, around service.Around[service.Performed]) error,
) (*httpkit.Reply[Subscription], error) {
	id := httpkit.Resource[subscription.Subscription](c).ID
	return commandOf(ctx, s, c, http.StatusOK,
		func(p service.Performed) httpkit.Made[Subscription] { return madeSubscription(p.Subscription) },
		func(around service.Around[service.Performed]) error { return perform(id, around) }, s.admit(id))
}

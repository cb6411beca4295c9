package subscriptions

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
)

// command performs a command on the subscription of the path, and responds with the changed subscription.
func (h *Handler) command(
	ctx context.Context, c *httpkit.Call, cmd lifecycle.Command,
) (*httpkit.Reply[Subscription], error) {
	return h.onSubscription(ctx, c, func(id string, around usecase.Around[usecase.Performed]) error {
		return h.service.Command(ctx, usecase.Caller(c), id, cmd, around)
	})
}

// onSubscription performs a command that needs more than the subscription. That of the path was read with the key, so a
// foreign one has been refused already; the command locks it and reads it again.
func (h *Handler) onSubscription(
	ctx context.Context, c *httpkit.Call, perform func(id string, around usecase.Around[usecase.Performed]) error,
) (*httpkit.Reply[Subscription], error) {
	id, out, err := h.performed(ctx, c, perform)
	if err != nil {
		return nil, err
	}
	return h.decided(ctx, c, id, out), nil
}

// performed is onSubscription without a wait.
func (h *Handler) performed(
	ctx context.Context, c *httpkit.Call, perform func(id string, around usecase.Around[usecase.Performed]) error,
) (id string, out *httpkit.Reply[Subscription], err error) {
	id = httpkit.Resource[subscription.Subscription](c).ID
	out, err = usecase.Command(ctx, h.kit, c, http.StatusOK, h.madeOf(c),
		func(around usecase.Around[usecase.Performed]) error { return perform(id, around) }, h.gate.Admit(id))
	return id, out, err
}

package api

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/billing/subscription"
	"perennial/contract"
)

type cancelSubscriptionInput struct {
	httpkit.ByID
	Body *CancelForm
}

// CancelForm cancels at the end of the period, or now.
type CancelForm struct {
	Reason          string `json:"reason,omitempty" maxLength:"500" example:"too expensive" doc:"Shown as cancelReason and carried by the event: nothing personal, please."`
	ImmediateEffect bool   `json:"immediateEffect,omitempty" doc:"true: now. false: at the end of the period."`
	Refund          string `json:"refund,omitempty" enum:"none,prorated" doc:"With immediateEffect: prorated gives the paid unused time back, and leaves of the current period's open invoice only the time used to pay."`
}

func (s *Server) cancelSubscription(
	ctx context.Context, c *httpkit.Call, in *cancelSubscriptionInput,
) (*httpkit.Reply[Subscription], error) {
	form := CancelForm{}
	if in.Body != nil {
		form = *in.Body
	}
	if form.Refund == "none" {
		form.Refund = ""
	}
	// The command refuses it too. Asked before, it costs nobody a visit to the workflow.
	asked := subscription.Cancellation{Immediate: form.ImmediateEffect, RefundUnused: form.Refund == contract.RefundProrated}
	if err := asked.Check(); err != nil {
		return nil, err
	}
	return httpkit.Command(ctx, s.kit, c, http.StatusOK, func(ctx context.Context, r httpkit.Run) (httpkit.Made[Subscription], error) {
		customerID := httpkit.Resource[subscription.Subscription](c).CustomerID
		if err := s.service.KeepCommandText(ctx, caller(c), r.CommandID, customerID, form.Reason); err != nil {
			return httpkit.Made[Subscription]{}, err
		}
		return s.performAndRead(ctx, c, contract.Command{
			ID: r.CommandID, Idempotency: completes(r), Name: contract.CommandCancel,
			HasText: form.Reason != "", ImmediateEffect: form.ImmediateEffect, Refund: form.Refund,
		})
	})
}

package subscriptions

import (
	"context"

	"perennial/api/httpkit"
	"perennial/billing/lifecycle"
)

type cancelSubscriptionInput struct {
	httpkit.ByID
	Body *CancellationForm
}

// CancellationForm cancels, at the cost of a preview where it has its token.
type CancellationForm struct {
	CancelForm
	PreviewTokenForm
}

// CancelForm cancels at the end of the period, or now. The body is optional, since a cancellation at period end needs
// no field. The rules refuse refund without immediateEffect, not the form: the fault is the same for all callers.
type CancelForm struct {
	Reason          string `json:"reason,omitempty" maxLength:"500" example:"too expensive" doc:"Shown as cancelReason and in the event. Send no personal data."`
	ImmediateEffect bool   `json:"immediateEffect,omitempty" doc:"true: cancels now. false: cancels at the end of the period, or of the plan's own period where that is longer (planPeriodEnd)."`
	Refund          string `json:"refund,omitempty" enum:"none,prorated" doc:"Requires immediateEffect. none (the default): nothing goes back, also not of a plan or an add-on that is paid for longer than the current period. prorated: refunds the paid unused time of each, and reduces the open invoice of the current period to the time used."`
}

func (h *Handler) cancelSubscription(
	ctx context.Context, c *httpkit.Call, in *cancelSubscriptionInput,
) (*httpkit.Reply[Subscription], error) {
	form := CancellationForm{}
	if in.Body != nil {
		form = *in.Body
	}
	return h.commandAsPreviewed(ctx, c, form.command(), form.PreviewToken)
}

func (f CancelForm) command() lifecycle.Cancel {
	return lifecycle.Cancel{Reason: f.Reason, Immediate: f.ImmediateEffect, RefundUnused: f.Refund == "prorated"}
}

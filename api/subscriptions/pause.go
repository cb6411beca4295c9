package subscriptions

import (
	"context"
	"net/http"
	"time"

	"perennial/api/httpkit"
	"perennial/billing/lifecycle"
)

type pauseSubscriptionInput struct {
	httpkit.ByID
	Body *PausingForm
}

// PausingForm pauses a subscription, at the cost of a preview where it has its token.
type PausingForm struct {
	PauseForm
	PreviewTokenForm
}

// PauseForm pauses a subscription. The body is optional, since an open pause without credit needs no field.
type PauseForm struct {
	ResumesAt *int64 `json:"resumesAt,omitempty" example:"1769817600" doc:"When the subscription resumes automatically, in Unix seconds, at most 730 days from now. Default: when it is resumed."`
	Credit    string `json:"credit,omitempty" enum:"none,prorated" example:"prorated" doc:"What becomes of the paid time that is left of the current period. none (the default): it is lost, also that of a plan or an add-on that is paid for longer. prorated: it goes to the customer's balance."`
}

func (f PauseForm) command() lifecycle.Pause {
	cmd := lifecycle.Pause{CreditUnused: f.Credit == "prorated"}
	if f.ResumesAt != nil {
		cmd.ResumesAt = time.Unix(*f.ResumesAt, 0).UTC()
	}
	return cmd
}

func (h *Handler) pauseSubscription(
	ctx context.Context, c *httpkit.Call, in *pauseSubscriptionInput,
) (*httpkit.Reply[Subscription], error) {
	form := PausingForm{}
	if in.Body != nil {
		form = *in.Body
	}
	return h.commandAsPreviewed(ctx, c, form.command(), form.PreviewToken)
}

// resumeSubscription ends a pause. reactivateSubscription undoes a scheduled cancellation, and resumeCollection the
// pause of a past-due subscription's collection.
func (h *Handler) resumeSubscription(
	ctx context.Context, c *httpkit.Call, in *previewedInput,
) (*httpkit.Reply[Subscription], error) {
	return h.commandAsPreviewed(ctx, c, lifecycle.Resume{}, in.token())
}

func (h *Handler) pauseOperations(load httpkit.Loader, example Subscription) {
	until := int64(1769817600)
	resumed := example
	resumed.Status, resumed.TrialEndsAt, resumed.NextAction = "active", 0, "renewal"
	paused := resumed
	paused.Status, paused.PausedAt, paused.ResumesAt, paused.PauseReason = "paused", 1763726400, until, "requested"
	paused.NextAction, paused.NextActionAt = "resume", until
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "pauseSubscription", Method: http.MethodPost, Path: "/subscriptions/{id}/pause", Tag: "Subscriptions",
		Summary: "Pause a subscription",
		Description: "Ends the current period now. Nothing is billed and the customer has no access until the " +
			"subscription resumes: at resumesAt, or with resumeSubscription. Only an active subscription without an open " +
			"invoice and without a scheduled cancellation is paused. A request about a paused one replaces its resumesAt. While it is " +
			"paused, its plan and quantity cannot change, and a cancellation is effective at once.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: paused,
		Request: PausingForm{PauseForm: PauseForm{ResumesAt: &until}},
	}, h.pauseSubscription)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "resumeSubscription", Method: http.MethodPost, Path: "/subscriptions/{id}/resume", Tag: "Subscriptions",
		Summary: "Resume a paused subscription",
		Description: "A period begins now, from which all later ones are counted, and is billed in full. A change that " +
			"waited for the end of the period takes effect with it.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: resumed,
		Request: exampleToken,
	}, h.resumeSubscription)
}

package subscriptions

import (
	"context"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/service/subscriptions"
)

// PreviewTokenForm has the token of a preview.
type PreviewTokenForm struct {
	PreviewToken string `json:"previewToken,omitempty" maxLength:"100" doc:"Makes the change only at the cost that a preview of the same change showed."`
}

var exampleToken = PreviewTokenForm{PreviewToken: "t60im8.RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o"}

// previewedInput is the request for a change that needs no field.
type previewedInput struct {
	httpkit.ByID
	Body *PreviewTokenForm
}

func (in *previewedInput) token() string {
	if in.Body == nil {
		return ""
	}
	return in.Body.PreviewToken
}

// commandAsPreviewed is command, at the cost of the preview where there is a token.
func (h *Handler) commandAsPreviewed(
	ctx context.Context, c *httpkit.Call, cmd lifecycle.Command, token string,
) (*httpkit.Reply[Subscription], error) {
	if token == "" {
		return h.command(ctx, c, cmd)
	}
	return h.onSubscription(ctx, c, h.asPreviewed(ctx, c, token, subscriptions.Preview{Command: cmd}))
}

// changeAsPreviewed returns the change that a PATCH asks for, as a preview understands the same fields.
func (h *Handler) changeAsPreviewed(ctx context.Context, c *httpkit.Call, in SubscriptionChange) (change, error) {
	known := SubscriptionChange{
		PlanChoice: in.PlanChoice, TrialEndsAt: in.TrialEndsAt, Anchor: in.Anchor, Version: in.Version,
		Method: in.Method, NetDays: in.NetDays, PreviewTokenForm: in.PreviewTokenForm,
	}
	if in != known {
		return nil, fault.InvalidParam("previewToken", "fields_exclusive",
			"Usage thresholds and a payment method cost nothing and have no preview. Send them without `previewToken`.")
	}
	what, err := SubscriptionPreviewForm{
		PlanChoice: known.PlanChoice, TrialEndsAt: known.TrialEndsAt, Anchor: known.Anchor, Version: known.Version,
		Method: known.Method, NetDays: known.NetDays,
	}.preview()
	if err == nil && what.Change == nil && what.Command == nil {
		_, err = in.PlanChoice.change() // it says what is missing
	}
	return h.asPreviewed(ctx, c, in.PreviewToken, what), err
}

func (h *Handler) asPreviewed(ctx context.Context, c *httpkit.Call, token string, what subscriptions.Preview) change {
	return func(id string, around usecase.Around[usecase.Performed]) error {
		return h.service.PerformAsPreviewed(ctx, usecase.Caller(c), id, token, what, around)
	}
}

package subscriptions

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/service/subscriptions"
)

type previewSubscriptionInput struct {
	httpkit.ByID
	Body *SubscriptionPreviewForm
}

// SubscriptionPreviewForm requests the effects of a change: one of PATCH, a cancellation or its withdrawal, a pause or
// its end, a coupon that is redeemed or removed. Without a change it only looks ahead.
type SubscriptionPreviewForm struct {
	PlanChoice
	TrialEndsAt *int64       `json:"trialEndsAt,omitempty" example:"1765454400" doc:"Another end of the trial, in Unix seconds. Send this, cancel, reactivate, or the fields of a change."`
	Anchor      AnchorChoice `json:"billingAnchor,omitempty" doc:"Another anchor of the periods: now, or a date. Send this alone, or with prorationBehavior."`
	Version     *int         `json:"planVersion,omitempty" minimum:"1" maximum:"100" example:"2" doc:"Another version of its plan. Send this alone, or with effective and paymentBehavior."`
	Method      *string      `json:"collectionMethod,omitempty" enum:"charge_automatically,send_invoice" doc:"How later invoices are collected. Send this alone, or with netDays."`
	NetDays     *int         `json:"netDays,omitempty" minimum:"0" maximum:"365" doc:"With send_invoice: the days within which an invoice has to be paid."`
	Cancel      *CancelForm  `json:"cancel,omitempty" doc:"A cancellation. Send this, reactivate, or the fields of a change."`
	Reactivate  bool         `json:"reactivate,omitempty" doc:"true: the withdrawal of a cancellation at period end."`
	Pause       *PauseForm   `json:"pause,omitempty" doc:"A pause. Send this, or another change."`
	Resume      bool         `json:"resume,omitempty" doc:"true: the end of a pause."`
	CouponCode  string       `json:"couponCode,omitempty" maxLength:"50" example:"WELCOME" doc:"The redemption of a coupon."`
	RemoveID    string       `json:"removeCouponId,omitempty" maxLength:"64" doc:"The removal of a coupon."`
	Upcoming    *int         `json:"upcomingCount,omitempty" minimum:"0" maximum:"24" example:"3" doc:"How many of the invoices that follow automatically are shown. Default: 1."`
}

// preview returns the requested preview.
func (f SubscriptionPreviewForm) preview() (subscriptions.Preview, error) {
	in := subscriptions.Preview{Invoices: ahead(f.Upcoming)}
	kinds := 0
	switch {
	case f.Anchor != "":
		cmd, err := f.Anchor.command(f.PlanChoice)
		if err != nil {
			return in, err
		}
		in.Command, kinds = cmd, kinds+1
	case f.Version != nil:
		if err := alone(f.PlanChoice, "planVersion", "effective", "paymentBehavior"); err != nil {
			return in, err
		}
		in.Command, kinds = f.PlanChoice.toVersion(*f.Version), kinds+1
	case f.PlanChoice != (PlanChoice{}):
		change, err := f.change()
		if err != nil {
			return in, err
		}
		in.Change, kinds = &change, kinds+1
	}
	if f.TrialEndsAt != nil {
		in.Command, kinds = endTrial(*f.TrialEndsAt), kinds+1
	}
	if f.Method != nil || f.NetDays != nil {
		in.Command, kinds = lifecycle.SetTerms{Method: (*terms.Method)(f.Method), NetDays: f.NetDays}, kinds+1
	}
	if f.Cancel != nil {
		in.Command, kinds = f.Cancel.command(), kinds+1
	}
	if f.Reactivate {
		in.Command, kinds = lifecycle.Reactivate{}, kinds+1
	}
	if f.Pause != nil {
		in.Command, kinds = f.Pause.command(), kinds+1
	}
	if f.Resume {
		in.Command, kinds = lifecycle.Resume{}, kinds+1
	}
	if f.CouponCode != "" {
		in.Command, kinds = lifecycle.RedeemCoupon{Code: f.CouponCode}, kinds+1
	}
	if f.RemoveID != "" {
		in.Command, kinds = lifecycle.RemoveCoupon{CouponID: f.RemoveID}, kinds+1
	}
	if kinds > 1 {
		return in, fault.InvalidParam("cancel", "fields_exclusive",
			"A preview is of one change. Send `trialEndsAt`, `planVersion`, `collectionMethod`, `cancel`, `reactivate`, `pause`, "+
				"`resume`, `couponCode`, `removeCouponId`, or the fields of a plan or quantity change.")
	}
	return in, nil
}

// ahead returns the number of future invoices to show.
func ahead(n *int) int {
	if n == nil {
		return 1
	}
	return *n
}

func (h *Handler) previewSubscription(
	ctx context.Context, c *httpkit.Call, in *previewSubscriptionInput,
) (*httpkit.Reply[SubscriptionPreview], error) {
	form := SubscriptionPreviewForm{}
	if in.Body != nil {
		form = *in.Body
	}
	asked, err := form.preview()
	if err != nil {
		return nil, err
	}
	id := httpkit.Resource[subscription.Subscription](c).ID
	return usecase.Command(ctx, h.kit, c, http.StatusOK, madePreview,
		func(around usecase.Around[subscriptions.Previewed]) error {
			return h.service.PreviewSubscription(ctx, usecase.Caller(c), id, asked, around)
		}, h.gate.Admit(id))
}

type previewNewSubscriptionInput struct {
	Body NewSubscriptionPreviewForm
}

// NewSubscriptionPreviewForm requests the invoices of a new subscription.
type NewSubscriptionPreviewForm struct {
	SubscriptionForm
	Upcoming *int `json:"upcomingCount,omitempty" minimum:"0" maximum:"24" example:"3" doc:"How many invoices are shown. Default: 1."`
}

func (h *Handler) previewNewSubscription(
	ctx context.Context, c *httpkit.Call, in *previewNewSubscriptionInput,
) (*httpkit.Reply[SubscriptionPreview], error) {
	form, err := in.Body.subscription()
	if err != nil {
		return nil, err
	}
	return usecase.Command(ctx, h.kit, c, http.StatusOK, madePreview,
		func(around usecase.Around[subscriptions.Previewed]) error {
			return h.service.PreviewNewSubscription(ctx, usecase.Caller(c), form, ahead(in.Body.Upcoming), around)
		})
}

// madePreview names the customer, with whom the stored response is erased: metadata may be personal.
func madePreview(p subscriptions.Previewed) httpkit.Made[SubscriptionPreview] {
	return httpkit.Made[SubscriptionPreview]{
		Resource: renderPreview(p), CustomerID: p.State.Subscription.CustomerID,
	}
}

func (h *Handler) previewOperations(load httpkit.Loader, example Subscription) {
	shown := examplePreview(example)
	quantity, three := int64(5), 3
	look := shown
	look.Invoices, look.PreviewToken, look.ExpiresAt = []PreviewInvoice{}, "", 0
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "previewNewSubscription", Method: http.MethodPost, Path: "/subscriptions/preview", Tag: "Subscriptions",
		Summary: "Preview a new subscription",
		Description: "Shows the subscription that createSubscription would make of the same request, and its next invoices, " +
			"as if every payment succeeded. Writes nothing.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Response: look,
		Request: NewSubscriptionPreviewForm{
			SubscriptionForm: SubscriptionForm{CustomerID: example.CustomerID, PlanID: example.PlanID}, Upcoming: &three,
		},
	}, h.previewNewSubscription)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "previewSubscription", Method: http.MethodPost, Path: "/subscriptions/{id}/preview", Tag: "Subscriptions",
		Summary: "Preview a change, or the next invoices",
		Description: "Shows what a change would cost now, and the invoices that follow it, as if every payment succeeded; " +
			"without a change, only the next invoices. Invoices that bill usage have what is recorded by now, and say estimated. " +
			"The code that bills computes it, and writes nothing. The request " +
			"for the same change with the previewToken charges exactly this, or is refused with 409 preview_outdated.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: shown,
		Request: SubscriptionPreviewForm{PlanChoice: PlanChoice{Quantity: &quantity}, Upcoming: &three},
	}, h.previewSubscription)
}

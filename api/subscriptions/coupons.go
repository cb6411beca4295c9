package subscriptions

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/view"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
)

// SubscriptionDiscount is a redeemed coupon of a subscription, with its terms at that time.
type SubscriptionDiscount struct {
	CouponID    string   `json:"couponId" example:"coup_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The coupon."`
	Code        string   `json:"code" example:"WELCOME" doc:"The code of the coupon."`
	Percent     string   `json:"percent,omitempty" example:"20" doc:"A decimal. Absent: it takes an amount off."`
	Amount      int64    `json:"amount,omitempty" doc:"Minor units, taken off once per period. Absent: it takes a percentage off."`
	Duration    string   `json:"duration" enum:"once,repeating,forever" example:"repeating" doc:"For how many billing periods it holds."`
	PeriodsLeft int      `json:"periodsLeft,omitempty" example:"2" doc:"How many billing periods it still holds for, the current one included where that has it. Absent: without end."`
	FromPeriod  int      `json:"fromPeriodIndex" example:"1" doc:"The first billing period that it is taken off, counted from 1."`
	PlanIDs     []string `json:"planIds,omitempty" doc:"The plans whose prices it is taken off. Absent: any plan."`
	RedeemedAt  int64    `json:"redeemedAt" example:"1763640000" doc:"When it was redeemed, in Unix seconds."`
}

func renderDiscounts(s subscription.Subscription) []SubscriptionDiscount {
	shown := make([]SubscriptionDiscount, len(s.Discounts))
	for i, d := range s.Discounts {
		left, _ := d.Left(s.PeriodIndex)
		shown[i] = SubscriptionDiscount{
			CouponID: d.CouponID, Code: d.Code, Percent: view.PercentOf(d.Discount), Amount: int64(d.Amount),
			Duration: string(d.Duration), PeriodsLeft: left, FromPeriod: d.From, PlanIDs: d.PlanIDs,
			RedeemedAt: view.Unix(d.RedeemedAt),
		}
	}
	return shown
}

type redeemCouponInput struct {
	httpkit.ByID
	Body RedemptionForm
}

// RedemptionForm names the coupon that a subscription redeems.
type RedemptionForm struct {
	Code string `json:"couponCode" minLength:"1" maxLength:"50" example:"WELCOME" doc:"The code of the coupon, in any case."`
	PreviewTokenForm
}

func (h *Handler) redeemCoupon(
	ctx context.Context, c *httpkit.Call, in *redeemCouponInput,
) (*httpkit.Reply[Subscription], error) {
	return h.commandAsPreviewed(ctx, c, lifecycle.RedeemCoupon{Code: in.Body.Code}, in.Body.PreviewToken)
}

type removeCouponInput struct {
	httpkit.ByID
	CouponID string `path:"couponId" maxLength:"64" doc:"The id of the coupon."`
	Token    string `query:"previewToken" maxLength:"100" doc:"Removes it only at the cost that a preview with removeCouponId showed."`
	Body     *view.Empty
}

func (h *Handler) removeCoupon(
	ctx context.Context, c *httpkit.Call, in *removeCouponInput,
) (*httpkit.Reply[Subscription], error) {
	return h.commandAsPreviewed(ctx, c, lifecycle.RemoveCoupon{CouponID: in.CouponID}, in.Token)
}

func (h *Handler) subscriptionCouponOperations(load httpkit.Loader, example Subscription) {
	with := example
	with.Discounts = []SubscriptionDiscount{{
		CouponID: "coup_01jcz6dyqx4w9s1c2k7v5h8m3n", Code: "WELCOME", Percent: "20", Duration: "repeating", PeriodsLeft: 3,
		FromPeriod: 1, RedeemedAt: 1763640000,
	}}
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "redeemCoupon", Method: http.MethodPost, Path: "/subscriptions/{id}/coupons", Tag: "Subscriptions",
		Summary: "Redeem a coupon for a subscription",
		Description: "It is taken off what is billed from the next period on; in a trial, from the first one. The " +
			"subscription keeps the terms of now, whatever becomes of the coupon. A preview with couponCode shows the " +
			"invoices.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: with,
		Request: RedemptionForm{Code: "WELCOME"},
	}, h.redeemCoupon)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "removeCoupon", Method: http.MethodDelete, Path: "/subscriptions/{id}/coupons/{couponId}", Tag: "Subscriptions",
		Summary: "Remove a coupon from a subscription",
		Description: "It is not taken off anything that is billed from now on. Invoices keep it, and it stays redeemed, unless " +
			"it was removed before the first period that it is for. " +
			"A preview with removeCouponId shows the invoices.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Crowds: true, Load: load, Response: example,
	}, h.removeCoupon)
}

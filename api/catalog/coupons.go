package catalog

import (
	"context"
	"net/http"
	"time"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/api/view"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/catalog"
)

// Coupon is a discount that subscriptions redeem by its code. The discount never changes: other terms need a new
// coupon.
type Coupon struct {
	ID             string   `json:"id" example:"coup_01jcz6dyqx4w9s1c2k7v5h8m3n"`
	Code           string   `json:"code" example:"WELCOME" doc:"Redeems the coupon, in any case. Unique in the environment."`
	Name           string   `json:"name" example:"Welcome, 20 % off" doc:"For people; customers see the code."`
	Percent        string   `json:"percent,omitempty" example:"20" doc:"What it takes off each invoice of a period: a decimal. Absent: it takes an amount off."`
	Amount         int64    `json:"amount,omitempty" doc:"What it takes off once per period, in minor units. Absent: it takes a percentage off."`
	Currency       string   `json:"currency,omitempty" doc:"ISO 4217 code of the amount. Only subscriptions in this currency can redeem it."`
	Duration       string   `json:"duration" enum:"once,repeating,forever" example:"repeating" doc:"For how many billing periods of a subscription it holds: for one, for periods, or without end. They are those of its shortest interval: months, where a yearly plan has an add-on by the month."`
	Periods        int      `json:"periods,omitempty" example:"3" doc:"Of a repeating coupon."`
	PlanIDs        []string `json:"planIds,omitempty" doc:"The plans whose prices it is taken off. Absent: any plan."`
	MaxRedemptions int      `json:"maxRedemptions,omitempty" example:"500" doc:"How many times it can be redeemed. Absent: without bound."`
	TimesRedeemed  int      `json:"timesRedeemed" example:"42" doc:"How many times it was redeemed."`
	RedeemBy       int64    `json:"redeemBy,omitempty" example:"1767225600" doc:"From when it can no longer be redeemed, in Unix seconds of the customer's time. What was redeemed before goes on."`
	Active         bool     `json:"active" example:"true" doc:"Whether it is offered. It can be redeemed until redeemBy and up to maxRedemptions; what was redeemed before goes on."`
	CreatedAt      int64    `json:"createdAt" example:"1763640000"`
}

func renderCoupon(c discount.Coupon) Coupon {
	return Coupon{
		ID: c.ID, Code: c.Code, Name: c.Name, Percent: view.PercentOf(c.Discount), Amount: int64(c.Amount),
		Currency: string(c.Currency), Duration: string(c.Duration), Periods: c.Periods, PlanIDs: c.PlanIDs,
		MaxRedemptions: c.MaxRedemptions, TimesRedeemed: c.Redeemed, RedeemBy: view.Unix(c.RedeemBy), Active: c.Active,
		CreatedAt: view.Unix(c.CreatedAt),
	}
}

type createCouponInput struct {
	Body CouponForm
}

// CouponForm creates a coupon.
type CouponForm struct {
	Code           string   `json:"code" minLength:"1" maxLength:"50" example:"WELCOME" doc:"Letters A to Z, digits, - and _. Unique in the environment, whatever the case."`
	Name           string   `json:"name,omitempty" maxLength:"100" example:"Welcome, 20 % off" doc:"Default: the code."`
	Percent        string   `json:"percent,omitempty" maxLength:"20" example:"20" doc:"A decimal, more than 0 and at most 100. Send this or amount."`
	Amount         int64    `json:"amount,omitempty" minimum:"1" maximum:"999999999999" doc:"Minor units, taken off once per period. Send it with currency."`
	Currency       string   `json:"currency,omitempty" maxLength:"3" doc:"ISO 4217 code of the amount."`
	Duration       string   `json:"duration" enum:"once,repeating,forever" example:"repeating" doc:"For how many billing periods of a subscription it holds: for one, for periods, or without end. They are those of its shortest interval: months, where a yearly plan has an add-on by the month."`
	Periods        int      `json:"periods,omitempty" minimum:"1" maximum:"120" example:"3" doc:"Of a repeating coupon: how many billing periods. Where the interval of a subscription changes, its coupon keeps the time that is left, and has the periods that begin in it."`
	PlanIDs        []string `json:"planIds,omitempty" minItems:"1" maxItems:"20" doc:"The plans whose prices it is taken off. Default: any plan."`
	MaxRedemptions int      `json:"maxRedemptions,omitempty" minimum:"1" maximum:"1000000000" example:"500" doc:"How many times it can be redeemed. Default: without bound."`
	RedeemBy       int64    `json:"redeemBy,omitempty" minimum:"1" maximum:"253402300799" example:"1767225600" doc:"From when it can no longer be redeemed, in Unix seconds. Default: without end."`
}

// coupon returns the coupon of the form.
func (f CouponForm) coupon() (discount.Coupon, error) {
	c := discount.Coupon{
		Code: f.Code, Name: f.Name, MaxRedemptions: f.MaxRedemptions, RedeemBy: view.Instant(f.RedeemBy),
		Terms: discount.Terms{
			Discount: discount.Discount{Amount: money.Minor(f.Amount)}, Currency: money.Currency(f.Currency),
			Duration: discount.Duration(f.Duration), Periods: f.Periods, PlanIDs: f.PlanIDs,
		},
	}
	if f.Percent == "" {
		return c, nil
	}
	var err error
	if c.Percent, err = money.ParseDecimal(f.Percent); err != nil {
		return c, fault.From(err).In("percent")
	}
	return c, nil
}

func madeCoupon(c discount.Coupon) httpkit.Made[Coupon] {
	return httpkit.Made[Coupon]{Resource: renderCoupon(c)}
}

func (h *Handler) createCoupon(
	ctx context.Context, c *httpkit.Call, in *createCouponInput,
) (*httpkit.Reply[Coupon], error) {
	form, err := in.Body.coupon()
	if err != nil {
		return nil, err
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusCreated, madeCoupon,
		func(keep func(*db.Tx, discount.Coupon) error) error {
			_, err := h.service.CreateCoupon(ctx, usecase.Caller(c), form, keep)
			return err
		})
}

func (h *Handler) getCoupon(_ context.Context, c *httpkit.Call, _ *httpkit.ByID) (*httpkit.Reply[Coupon], error) {
	return httpkit.OK(renderCoupon(httpkit.Resource[discount.Coupon](c))), nil
}

type listCouponsInput struct {
	httpkit.Page
	Active string `query:"active" enum:"true,false" doc:"true: only coupons that are not deactivated, also those whose time or redemptions are used up. false: only the others."`
	Code   string `query:"code" maxLength:"50" doc:"Only the coupon with this code, in any case."`
}

func (h *Handler) listCoupons(
	ctx context.Context, c *httpkit.Call, in *listCouponsInput,
) (*httpkit.Reply[httpkit.List[Coupon]], error) {
	page, err := in.DB(id.Coupon)
	if err != nil {
		return nil, err
	}
	rows, more, err := h.store.Catalog.Coupons(
		ctx, c.EnvironmentID, db.CouponFilter{Active: view.Chosen(in.Active), Code: in.Code}, page,
	)
	return httpkit.ListOf(rows, more, err, renderCoupon)
}

type updateCouponInput struct {
	httpkit.ByID
	Body CouponChange
}

// CouponChange changes the fields that are sent and leaves the others.
type CouponChange struct {
	Name     *string `json:"name,omitempty" minLength:"1" maxLength:"100" example:"Welcome, 20 % off" doc:"For people; customers see the code."`
	Active   *bool   `json:"active,omitempty" doc:"false: it cannot be redeemed any more. true: it can again."`
	RedeemBy *int64  `json:"redeemBy,omitempty" minimum:"0" maximum:"253402300799" doc:"From when it can no longer be redeemed, in Unix seconds. 0: without end."`
}

func (h *Handler) updateCoupon(
	ctx context.Context, c *httpkit.Call, in *updateCouponInput,
) (*httpkit.Reply[Coupon], error) {
	update := catalog.CouponUpdate{Name: in.Body.Name, Active: in.Body.Active}
	if in.Body.RedeemBy != nil {
		var by time.Time
		if *in.Body.RedeemBy != 0 {
			by = view.Instant(*in.Body.RedeemBy)
		}
		update.RedeemBy = &by
	}
	return httpkit.Create(ctx, h.kit, c, http.StatusOK, madeCoupon,
		func(keep func(*db.Tx, discount.Coupon) error) error {
			_, err := h.service.UpdateCoupon(ctx, usecase.Caller(c), in.ID, update, keep)
			return err
		})
}

// couponOperations has no deletion: invoices name their coupons for as long as they are kept.
func (h *Handler) couponOperations() {
	example := Coupon{
		ID: "coup_01jcz6dyqx4w9s1c2k7v5h8m3n", Code: "WELCOME", Name: "Welcome, 20 % off", Percent: "20",
		Duration: "repeating", Periods: 3, MaxRedemptions: 500, TimesRedeemed: 42, RedeemBy: 1767225600, Active: true,
		CreatedAt: 1763640000,
	}
	fresh, retired, no := example, example, false
	fresh.TimesRedeemed, retired.Active = 0, false
	load := httpkit.LoadByID(h.kit, id.Coupon, db.ErrCouponNotFound, h.store.Catalog.CouponWithKey)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "createCoupon", Method: http.MethodPost, Path: "/coupons", Tag: "Coupons", Summary: "Create a coupon",
		Description: "A subscription redeems it with couponCode when it is created, or later. It is taken off before taxes, " +
			"from the first period that is billed after its redemption: a percentage off everything that is billed for a " +
			"period, an amount once per period. Several coupons of a subscription are taken off one after another. Time " +
			"that is given back is worth what was billed for it, less its discount. Where an invoice is voided that had it, the " +
			"subscription has it for one period more.",
		Status: http.StatusCreated, Access: httpkit.WriteAccess, Response: fresh,
		Request: CouponForm{
			Code: "WELCOME", Name: "Welcome, 20 % off", Percent: "20", Duration: "repeating", Periods: 3, MaxRedemptions: 500,
			RedeemBy: 1767225600,
		},
	}, h.createCoupon)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "getCoupon", Method: http.MethodGet, Path: "/coupons/{id}", Tag: "Coupons", Summary: "Get a coupon",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Load: load, Response: example,
	}, h.getCoupon)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "listCoupons", Method: http.MethodGet, Path: "/coupons", Tag: "Coupons", Summary: "List coupons",
		Status: http.StatusOK, Access: httpkit.ReadAccess, Response: httpkit.List[Coupon]{Data: []Coupon{example}},
	}, h.listCoupons)
	httpkit.Register(h.kit, httpkit.Operation{
		Name: "updateCoupon", Method: http.MethodPatch, Path: "/coupons/{id}", Tag: "Coupons",
		Summary: "Rename or deactivate a coupon, or change until when it can be redeemed",
		Description: "Subscriptions keep what they have redeemed. For other terms, deactivate the coupon and create a new " +
			"one with another code.",
		Status: http.StatusOK, Access: httpkit.WriteAccess, Load: load, Request: CouponChange{Active: &no},
		Response: retired,
	}, h.updateCoupon)
}

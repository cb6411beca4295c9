package catalog

import (
	"cmp"
	"context"
	"time"

	"perennial/billing/audit"
	"perennial/billing/discount"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// CreateCoupon stores c with a new id and date. It can be redeemed from now on. Faults: those of
// discount.Coupon.Validate, discount.CheckCode and of text; currency_unknown, coupon_plans_too_many, plan_not_found,
// coupon_code_taken.
func (s *Service) CreateCoupon(
	ctx context.Context, by usecase.Caller, c discount.Coupon, also usecase.Also[discount.Coupon],
) (discount.Coupon, error) {
	now := s.Now()
	c.ID, c.CreatedAt, c.Active, c.Name = id.New(id.Coupon, now), now, true, cmp.Or(c.Name, c.Code)
	err := fault.Joined(discount.CheckCode(c.Code), c.Validate(), text.Check("name", c.Name),
		text.UnlessEmpty(string(c.Currency), checkCurrency), s.checkPlans(ctx, by, c.PlanIDs))
	if err != nil {
		return c, err
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (discount.Coupon, error) {
		if err := tx.Catalog.InsertCoupon(ctx, by.EnvironmentID, c); err != nil {
			return c, err
		}
		return c, tx.Emit(ctx, by.EnvironmentID, event.New(event.CouponCreated{ID: c.ID}, now))
	})
}

func checkCurrency(code string) error {
	_, err := money.ParseCurrency(code)
	return err
}

// checkPlans refuses a restriction to plans that do not exist: coupon_plans_too_many, plan_not_found.
func (s *Service) checkPlans(ctx context.Context, by usecase.Caller, planIDs []string) error {
	if len(planIDs) > discount.MaxPlans {
		return fault.InvalidParam("planIds", "coupon_plans_too_many",
			"A coupon can be restricted to at most %d plans. The request has %d.", discount.MaxPlans, len(planIDs))
	}
	return usecase.CheckEachPlan(ctx, s.Base, by, planIDs, func(plan.Plan) error { return nil })
}

// CouponUpdate changes the fields that are not nil. The discount cannot change. A RedeemBy of the zero time means
// never.
type CouponUpdate struct {
	Name     *string
	Active   *bool
	RedeemBy *time.Time
}

// UpdateCoupon changes a coupon, and announces the changes, if any. Subscriptions keep the coupons that they have
// redeemed. Faults: coupon_not_found and those of text.
func (s *Service) UpdateCoupon(
	ctx context.Context, by usecase.Caller, couponID string, u CouponUpdate, also usecase.Also[discount.Coupon],
) (discount.Coupon, error) {
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (discount.Coupon, error) {
		c, err := tx.Catalog.LockCoupon(ctx, by.EnvironmentID, couponID)
		if err != nil {
			return c, err
		}
		was := c
		var changed []string
		if u.Name != nil && *u.Name != c.Name {
			c.Name, changed = *u.Name, append(changed, "name")
		}
		if u.Active != nil && *u.Active != c.Active {
			c.Active, changed = *u.Active, append(changed, "active")
		}
		if u.RedeemBy != nil && !u.RedeemBy.Equal(c.RedeemBy) {
			c.RedeemBy, changed = *u.RedeemBy, append(changed, "redeemBy")
		}
		tx.AuditChanges(audit.Changes("coupon", changed, was, c)...)
		if len(changed) == 0 {
			return c, nil
		}
		if err := text.Check("name", c.Name); err != nil {
			return c, err
		}
		if err := tx.Catalog.SaveCoupon(ctx, by.EnvironmentID, c); err != nil {
			return c, err
		}
		return c, tx.Emit(ctx, by.EnvironmentID, event.New(event.CouponUpdated{ID: c.ID, Changed: changed}, s.Now()))
	})
}

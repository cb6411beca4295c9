package catalog

import (
	"context"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// CouponFilter narrows a list; nil and empty: any.
type CouponFilter struct {
	Active *bool
	Code   string // in any case
}

// CouponWithKey reads key and coupon in one round trip. Faults: api_key_unknown; coupon_not_found, with the key.
func (r Reader) CouponWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, discount.Coupon, error) {
	row, err := core.Queries.CouponGetWithKey(ctx, r.Handle, dbsqlc.CouponGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "coupon", err)
		return key, discount.Coupon{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), CouponFromDB(row.Coupon), nil
}

// CouponByCode reads the coupon that a code names, in any case. Fault: coupon_not_found.
func (r Reader) CouponByCode(ctx context.Context, environmentID, code string) (discount.Coupon, error) {
	row, err := core.Queries.CouponGetByCode(ctx, r.Handle,
		dbsqlc.CouponGetByCodeParams{EnvironmentID: environmentID, Code: code})
	return CouponFromDB(row.Coupon), core.ReadError("coupon", err)
}

// Coupons lists an environment's.
func (r Reader) Coupons(
	ctx context.Context, environmentID string, f CouponFilter, page core.Page,
) (coupons []discount.Coupon, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.CouponList(ctx, r.Lists(), dbsqlc.CouponListParams{
		EnvironmentID: environmentID, Active: f.Active, Code: core.Null(f.Code), Below: span.Below, Above: span.Above,
		Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("CouponList", err)
	}
	coupons, hasMore = core.Cut(page, rows,
		func(row dbsqlc.CouponListRow) discount.Coupon { return CouponFromDB(row.Coupon) })
	return coupons, hasMore, nil
}

// CouponsByCode returns the coupons that have one of some codes, in any case, in the order of their ids.
func (r Reader) CouponsByCode(
	ctx context.Context, environmentID string, codes []string,
) (coupons []discount.Coupon, err error) {
	rows, err := core.Queries.CouponListByCode(ctx, r.Handle,
		dbsqlc.CouponListByCodeParams{EnvironmentID: environmentID, Codes: codes})
	return core.Map(rows, func(row dbsqlc.CouponListByCodeRow) discount.Coupon {
		return CouponFromDB(row.Coupon)
	}), core.Translate("CouponListByCode", err)
}

// LockCoupon reads a coupon and locks it until this transaction ends, so that no other one may change or redeem it.
// Fault: coupon_not_found.
func (tx *Tx) LockCoupon(ctx context.Context, environmentID, id string) (discount.Coupon, error) {
	row, err := core.Queries.CouponLock(ctx, tx.Pipe, dbsqlc.CouponLockParams{EnvironmentID: environmentID, ID: id})
	return CouponFromDB(row.Coupon), core.ReadError("coupon", err)
}

var errCodeTaken = fault.New(fault.Conflict, "coupon_code_taken",
	"The environment has a coupon with this code, perhaps in another case. Send another code.").In("code")

// InsertCoupon writes one. Fault: coupon_code_taken.
func (tx *Tx) InsertCoupon(ctx context.Context, environmentID string, c discount.Coupon) error {
	var percent *string
	if c.Percent.IsGiven() {
		percent = core.Null(c.Percent.String())
	}
	return core.Queries.CouponInsert(ctx, tx.Pipe.OrElse(errCodeTaken), dbsqlc.CouponInsertParams{
		ID: c.ID, EnvironmentID: environmentID, Code: c.Code, Name: c.Name, Percent: percent, Amount: core.Null(c.Amount),
		Currency: core.Null(c.Currency), Duration: c.Duration, Periods: core.Null(c.Periods), PlanIds: c.PlanIDs,
		MaxRedemptions: core.Null(c.MaxRedemptions), RedeemBy: core.NullTime(c.RedeemBy), Active: c.Active,
		CreatedAt: c.CreatedAt,
	})
}

// SaveCoupon writes the fields that may change: the name, whether it is active, and until when it can be redeemed. The
// caller holds the lock. Fault: coupon_not_found.
func (tx *Tx) SaveCoupon(ctx context.Context, environmentID string, c discount.Coupon) error {
	return core.Queries.CouponUpdate(ctx, tx.Pipe.OrElse(core.NotFound("coupon")), dbsqlc.CouponUpdateParams{
		EnvironmentID: environmentID, ID: c.ID, Name: c.Name, Active: c.Active, RedeemBy: core.NullTime(c.RedeemBy),
	})
}

// WithCoupons adds the facts, besides its State, that a decision to void an invoice of a subscription with coupons
// depends on: the coupons, and the periods in which other invoices that are not void have them.
func (tx *Tx) WithCoupons(
	ctx context.Context, environmentID string, c lifecycle.VoidInvoice, inv invoice.Invoice,
) (lifecycle.VoidInvoice, error) {
	var ids []string
	for _, share := range inv.Discounts() {
		ids = append(ids, share.CouponID)
	}
	if len(ids) == 0 {
		return c, nil
	}
	coupons, err := core.Queries.CouponListByID(ctx, tx.Pipe,
		dbsqlc.CouponListByIDParams{EnvironmentID: environmentID, Ids: ids})
	if err != nil {
		return c, core.Translate("CouponListByID", err)
	}
	for _, row := range coupons {
		c.Coupons = append(c.Coupons, CouponFromDB(row.Coupon))
	}
	uses, err := core.Queries.CouponListUses(ctx, tx.Pipe, dbsqlc.CouponListUsesParams{
		EnvironmentID: environmentID, SubscriptionID: &inv.SubscriptionID, InvoiceID: inv.ID,
	})
	for _, row := range uses {
		c.Given = append(c.Given, lifecycle.CouponUse{CouponID: row.CouponID, PeriodIndex: row.PeriodIndex})
	}
	return c, core.Translate("CouponListUses", err)
}

// CouponFromDB returns the coupon of a row.
func CouponFromDB(row dbsqlc.Coupon) discount.Coupon {
	var percent money.Decimal
	if row.Percent != nil {
		percent, _ = money.ParseDecimal(*row.Percent) // checked before it was written
	}
	return discount.Coupon{
		ID: row.ID, Code: row.Code, Name: row.Name,
		Terms: discount.Terms{
			Discount: discount.Discount{Percent: percent, Amount: core.Value(row.Amount)}, Currency: core.Value(row.Currency),
			Duration: row.Duration, Periods: core.Value(row.Periods), PlanIDs: row.PlanIds,
		},
		MaxRedemptions: core.Value(row.MaxRedemptions), Redeemed: row.Redeemed, RedeemBy: core.Value(row.RedeemBy),
		Active: row.Active, CreatedAt: row.CreatedAt,
	}
}

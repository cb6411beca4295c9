package db

import (
	"cmp"
	"context"
	"slices"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/db/internal/dbsqlc"
)

// CouponFilter narrows a list; nil and empty: any.
type CouponFilter struct {
	Active *bool
	Code   string // in any case
}

// CouponWithKey reads key and coupon in one round trip. Faults: api_key_unknown; coupon_not_found, with the key.
func (r Reader) CouponWithKey(ctx context.Context, hash []byte, id string) (APIKey, discount.Coupon, error) {
	row, err := queries.CouponGetWithKey(ctx, r.handle, dbsqlc.CouponGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "coupon", err)
		return key, discount.Coupon{}, err
	}
	return apiKeyFromDB(row.ApiKeyDetail), couponFromDB(row.Coupon), nil
}

// CouponByCode reads the coupon that a code names, in any case. Fault: coupon_not_found.
func (r Reader) CouponByCode(ctx context.Context, environmentID, code string) (discount.Coupon, error) {
	row, err := queries.CouponGetByCode(ctx, r.handle, dbsqlc.CouponGetByCodeParams{EnvironmentID: environmentID, Code: code})
	return couponFromDB(row.Coupon), readError("coupon", err)
}

// Coupons lists an environment's.
func (r Reader) Coupons(
	ctx context.Context, environmentID string, f CouponFilter, page Page,
) (coupons []discount.Coupon, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := queries.CouponList(ctx, r.lists(), dbsqlc.CouponListParams{
		EnvironmentID: environmentID, Active: f.Active, Code: null(f.Code), Below: span.below, Above: span.above,
		Forward: page.forward(), RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("CouponList", err)
	}
	coupons, hasMore = cut(page, rows, func(row dbsqlc.CouponListRow) discount.Coupon { return couponFromDB(row.Coupon) })
	return coupons, hasMore, nil
}

// LockCoupon reads one that nobody else may change or redeem until the transaction ends. Fault: coupon_not_found.
func (tx *Tx) LockCoupon(ctx context.Context, environmentID, id string) (discount.Coupon, error) {
	row, err := queries.CouponLock(ctx, tx.pipe, dbsqlc.CouponLockParams{EnvironmentID: environmentID, ID: id})
	return couponFromDB(row.Coupon), readError("coupon", err)
}

var errCodeTaken = fault.New(fault.Conflict, "coupon_code_taken",
	"The environment has a coupon with this code, perhaps in another case. Send another code.").In("code")

// InsertCoupon writes one. Fault: coupon_code_taken.
func (tx *Tx) InsertCoupon(ctx context.Context, environmentID string, c discount.Coupon) error {
	var percent *string
	if c.Percent.IsGiven() {
		percent = null(c.Percent.String())
	}
	return queries.CouponInsert(ctx, tx.pipe.orElse(errCodeTaken), dbsqlc.CouponInsertParams{
		ID: c.ID, EnvironmentID: environmentID, Code: c.Code, Name: c.Name, Percent: percent, Amount: null(c.Amount),
		Currency: null(c.Currency), Duration: c.Duration, Periods: null(c.Periods), PlanIds: c.PlanIDs,
		MaxRedemptions: null(c.MaxRedemptions), RedeemBy: nullTime(c.RedeemBy), Active: c.Active, CreatedAt: c.CreatedAt,
	})
}

// SaveCoupon writes what may change: the name, whether it is active, and until when it can be redeemed. The caller holds
// the lock. Fault: coupon_not_found.
func (tx *Tx) SaveCoupon(ctx context.Context, environmentID string, c discount.Coupon) error {
	return queries.CouponUpdate(ctx, tx.pipe.orElse(notFound("coupon")), dbsqlc.CouponUpdateParams{
		EnvironmentID: environmentID, ID: c.ID, Name: c.Name, Active: c.Active, RedeemBy: nullTime(c.RedeemBy),
	})
}

// RedeemCoupon counts a redemption with the commit: all that redeem one coupon wait for each other, so it is locked as late
// as can be, but before the counters of invoices and credit notes, for which everybody waits. The commit fails with discount.ErrUsedUp where none is left.
func (tx *Tx) RedeemCoupon(environmentID, id string) {
	tx.redeemed = append(tx.redeemed, redemption{environmentID: environmentID, couponID: id, none: discount.ErrUsedUp})
}

// UnredeemCoupon counts a redemption less with the commit: what was promised by it was not given, and will not be.
func (tx *Tx) UnredeemCoupon(environmentID, id string) {
	tx.redeemed = append(tx.redeemed, redemption{environmentID: environmentID, couponID: id, less: true})
}

// redemption is one that is counted with the commit, and the refusal where none is left; or one that is not counted any more.
type redemption struct {
	environmentID, couponID string
	none                    error
	less                    bool
}

// countRedemptions queues what RedeemCoupon and UnredeemCoupon remembered, in the order in which all lock coupons.
func (tx *Tx) countRedemptions(ctx context.Context) error {
	redeemed := tx.redeemed
	tx.redeemed = nil
	slices.SortStableFunc(redeemed, func(a, b redemption) int { return cmp.Compare(a.couponID, b.couponID) })
	for _, r := range redeemed {
		var err error
		if r.less {
			err = queries.CouponUnredeem(ctx, tx.pipe, dbsqlc.CouponUnredeemParams{EnvironmentID: r.environmentID, ID: r.couponID})
		} else {
			err = queries.CouponRedeem(ctx, tx.pipe.orElse(r.none),
				dbsqlc.CouponRedeemParams{EnvironmentID: r.environmentID, ID: r.couponID})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// WithCoupons adds what a decision to void an invoice of a subscription depends on beside its State, where the invoice takes
// coupons off: these, and the periods in which other invoices, none of them void, take them off.
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
	coupons, err := queries.CouponListByID(ctx, tx.pipe, dbsqlc.CouponListByIDParams{EnvironmentID: environmentID, Ids: ids})
	if err != nil {
		return c, translate("CouponListByID", err)
	}
	for _, row := range coupons {
		c.Coupons = append(c.Coupons, couponFromDB(row.Coupon))
	}
	uses, err := queries.CouponListUses(ctx, tx.pipe, dbsqlc.CouponListUsesParams{
		EnvironmentID: environmentID, SubscriptionID: &inv.SubscriptionID, InvoiceID: inv.ID,
	})
	for _, row := range uses {
		c.Given = append(c.Given, lifecycle.CouponUse{CouponID: row.CouponID, PeriodIndex: row.PeriodIndex})
	}
	return c, translate("CouponListUses", err)
}

func couponFromDB(row dbsqlc.Coupon) discount.Coupon {
	var percent money.Decimal
	if row.Percent != nil {
		percent, _ = money.ParseDecimal(*row.Percent) // checked before it was written
	}
	return discount.Coupon{
		ID: row.ID, Code: row.Code, Name: row.Name,
		Terms: discount.Terms{
			Discount: discount.Discount{Percent: percent, Amount: value(row.Amount)}, Currency: value(row.Currency),
			Duration: row.Duration, Periods: value(row.Periods), PlanIDs: row.PlanIds,
		},
		MaxRedemptions: value(row.MaxRedemptions), Redeemed: row.Redeemed, RedeemBy: value(row.RedeemBy),
		Active: row.Active, CreatedAt: row.CreatedAt,
	}
}

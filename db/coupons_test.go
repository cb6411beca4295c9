package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
)

func aCoupon(id, code string) discount.Coupon {
	return discount.Coupon{
		ID: id, Code: code, Name: "Welcome",
		Terms: discount.Terms{
			Discount: discount.Discount{Amount: 500}, Currency: eur, Duration: discount.Repeating, Periods: 3,
			PlanIDs: []string{"plan_1", "plan_2"},
		},
		MaxRedemptions: 2, RedeemBy: now.Add(time.Hour), Active: true, CreatedAt: wall,
	}
}

func TestCouponRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := aCoupon(id.New(id.Coupon, wall), "Welcome-5")
	percent := discount.Coupon{
		ID: id.New(id.Coupon, wall), Code: "TEN", Name: "Ten", CreatedAt: wall,
		Terms: discount.Terms{Discount: discount.Discount{Percent: money.Whole(5)}, Duration: discount.Once},
	}
	redeem := func(ctx context.Context, tx *db.Tx) error {
		tx.RedeemCoupon(b.env, want.ID)
		return nil
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertCoupon(ctx, b.env, want))
		require.NoError(t, tx.Catalog.InsertCoupon(ctx, b.env, percent))
		locked, err := tx.Catalog.LockCoupon(ctx, b.env, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, locked)
		found, err := tx.Catalog.CouponByCode(ctx, b.env, "ten")
		require.NoError(t, err)
		require.Equal(t, percent, found)
	})
	require.NoError(t, b.try(t, redeem))
	want.Name, want.RedeemBy, want.Redeemed = "Spring", time.Time{}, 1
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Catalog.SaveCoupon(ctx, b.env, want)) })
	require.NoError(t, b.try(t, redeem))
	requireFault(t, b.try(t, redeem), fault.Conflict, "coupon_used_up")
	want.Redeemed = 2

	active := true
	listed, more, err := b.store.Catalog.Coupons(
		t.Context(), b.env, db.CouponFilter{Active: &active, Code: "WELCOME-5"}, db.Page{},
	)
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, []discount.Coupon{want}, listed)
	page, _, err := b.store.Catalog.Coupons(t.Context(), b.env, db.CouponFilter{}, db.Page{StartingAfter: percent.ID})
	require.NoError(t, err)
	require.Equal(t, []discount.Coupon{want}, page)

	err = b.try(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.Catalog.InsertCoupon(ctx, b.env, aCoupon(id.New(id.Coupon, wall), "WELCOME-5"))
	})
	requireFault(t, err, fault.Conflict, "coupon_code_taken")
	_, err = b.pool.Exec(t.Context(), "update coupons set code = 'OTHER'")
	requireSQLState(t, err, "PB002")
}

// Many customers redeem a coupon, and all share the counter of invoices: a decision that issues a draft locks the
// coupon first, as all others do. Before, it held the counter and waited for the coupon of a transaction that waited
// for the counter.
func TestWrite_RedeemsBeforeItNumbers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	coupon := aCoupon(id.New(id.Coupon, wall), "ONE")
	draft, err := invoicing.New(invoicing.Identity{ID: id.New(id.Invoice, wall), CustomerID: b.customer.ID, Currency: eur},
		invoicing.Content{Lines: aLine("10")}, around)
	require.NoError(t, err)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertCoupon(ctx, b.env, coupon))
		require.NoError(t, tx.Invoices.InsertDraft(ctx, b.env, draft))
	})
	done := make(chan error, 1)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		_, err := tx.Catalog.LockCoupon(ctx, b.env, coupon.ID)
		require.NoError(t, err)
		go func() {
			done <- b.store.InTx(ctx, db.BySystem("test"), now, func(tx *db.Tx) error {
				state, err := tx.Lifecycle.LockManualInvoice(ctx, b.env, b.customer.ID, draft.ID)
				if err != nil {
					return err
				}
				state, changes, err := lifecycle.Finalize(state, db.Moment(now, wall))
				if err != nil {
					return err
				}
				changes.Redeemed = coupon.ID
				return tx.Lifecycle.Write(ctx, b.env, state, changes)
			})
		}()
		b.untilWaiting(t)
		require.Equal(t, 1, b.count(t, `with free as (select from invoice_counters where environment_id = $1 for update nowait)
			select count(*) from free`, b.env))
	})
	require.NoError(t, <-done)
}

// An invoice took a coupon off in period 1, and a later one credits that line in full. Each counts separately: the
// coupon was given. The credits of an invoice on its own lines, and the discount of a void invoice, do not count.
func TestWithCoupons_EachInvoiceCountsForItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	coupon := aCoupon(id.New(id.Coupon, wall), "ONE")
	off := func(period int, amounts ...money.Minor) invoice.Invoice {
		inv := b.invoice()
		inv.Lines = inv.Lines[:len(amounts)]
		for i, amount := range amounts {
			inv.Lines[i].PeriodIndex = period
			inv.Lines[i].Discounts = invoice.Shares{{CouponID: coupon.ID, Code: "ONE", Amount: amount}}
			inv.Discount += amount
		}
		return inv
	}
	open, void := off(4, 500), off(3, 500)
	void.Status, void.VoidedAt, void.Collection.Phase = invoice.Void, now, collection.Closed
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertCoupon(ctx, b.env, coupon))
		for _, inv := range []invoice.Invoice{
			off(1, 500).Settle(now), off(1, -500).Settle(now), off(2, 500, -500).Settle(now), void, open,
		} {
			require.NoError(t, tx.Invoices.Insert(ctx, b.env, inv))
		}
	})
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		got, err := tx.Catalog.WithCoupons(ctx, b.env, lifecycle.VoidInvoice{InvoiceID: open.ID}, open)
		require.NoError(t, err)
		require.Equal(t, []lifecycle.CouponUse{{CouponID: coupon.ID, PeriodIndex: 1}}, got.Given)
		require.Equal(t, []discount.Coupon{coupon}, got.Coupons)
	})
}

package subscriptions

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/service/catalog"
	"perennial/service/servicetest"
	"perennial/service/usecase"
	"perennial/test/scene"
)

func newCoupon(t *testing.T, svc *columns, by usecase.Caller, c discount.Coupon) discount.Coupon {
	t.Helper()
	c, err := svc.Catalog.CreateCoupon(t.Context(), by, c, nil)
	require.NoError(t, err)
	return c
}

func half() discount.Terms {
	return discount.Terms{Discount: discount.Discount{Percent: money.Whole(50)}, Duration: discount.Once}
}

// Of concurrent redemptions of a coupon, the allowed number succeeds, and all others change nothing.
func TestRedeemCoupon_ManyAtOnce(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	c := newCoupon(t, svc, by, discount.Coupon{Code: "RACE", Terms: half(), MaxRedemptions: 3})
	customer, plan := s.Customer(t, "").ID, s.Plan(t, scene.Monthly(1000)).ID
	var redeemed atomic.Int64
	var clients sync.WaitGroup
	for range 50 {
		clients.Go(func() {
			_, err := svc.CreateSubscription(t.Context(), by, NewSubscription{
				CustomerID: customer, PlanID: plan, CouponCode: "race",
			}, nil)
			switch {
			case err == nil:
				redeemed.Add(1)
			case fault.From(err) == nil || fault.From(err).Code != "coupon_used_up":
				t.Error(err)
			}
		})
	}
	clients.Wait()
	require.EqualValues(t, 3, redeemed.Load())
	found, err := s.Store.Catalog.CouponByCode(t.Context(), s.Env, "Race")
	require.NoError(t, err)
	require.Equal(t, 3, found.Redeemed)
	subs, _, err := s.Store.Subscriptions.List(t.Context(), s.Env, db.SubscriptionFilter{CustomerID: customer},
		db.Page{Limit: 100, Unsettled: true})
	require.NoError(t, err)
	require.Len(t, subs, 3)
	require.Equal(t, c.ID, subs[0].Discounts[0].CouponID)
}

// A redemption keeps its terms for the next period, also if the coupon changes. Its preview shows the discount, and
// redeems nothing.
func TestRedeemCoupon_KeepsItsTerms(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	svc, by := at(s)
	c := newCoupon(t, svc, by, discount.Coupon{Code: "HALF", Terms: half(), MaxRedemptions: 1})
	cmd := lifecycle.RedeemCoupon{Code: "half"}

	shown := svc.previewed(t, by, ref.ID, Preview{Command: cmd, Invoices: 2})

	full := shown.Upcoming[1].Total
	require.Equal(t, full/2, shown.Upcoming[0].Total)
	require.Equal(t, full/2, shown.Upcoming[0].Discount)
	require.NoError(t, svc.Command(t.Context(), by, ref.ID, cmd, usecase.Around[usecase.Performed]{}))
	no := false
	c, err := svc.Catalog.UpdateCoupon(t.Context(), by, c.ID, catalog.CouponUpdate{Active: &no}, nil)
	require.NoError(t, err)
	require.Equal(t, 1, c.Redeemed)
	later := svc.previewed(t, by, ref.ID, Preview{Invoices: 2})
	require.Equal(t, []money.Minor{full / 2, full}, []money.Minor{later.Upcoming[0].Total, later.Upcoming[1].Total})
	err = svc.Command(t.Context(), by, ref.ID, lifecycle.RedeemCoupon{Code: "none"}, usecase.Around[usecase.Performed]{})
	require.Equal(t, "coupon_not_found", fault.From(err).Code)
	require.NoError(t, svc.Command(t.Context(), by, ref.ID, lifecycle.RemoveCoupon{CouponID: c.ID},
		usecase.Around[usecase.Performed]{}))
	require.Equal(t, full, svc.previewed(t, by, ref.ID, Preview{Invoices: 1}).Upcoming[0].Total)
}

// The only redemption of a coupon pays half of a first invoice that is declined and voided. The subscription has the
// coupon again; if it ends without using it, another customer can have it.
func TestVoidInvoice_TheCouponIsNotLost(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	svc, by := at(s)
	c := newCoupon(t, svc, by, discount.Coupon{Code: "ONE", Terms: half(), MaxRedemptions: 1})
	p := s.Plan(t, scene.Monthly(1000))
	subscribe := func() (contract.Ref, error) {
		made, err := svc.CreateSubscription(t.Context(), by,
			NewSubscription{CustomerID: s.Customer(t, "").ID, PlanID: p.ID, CouponCode: "one"}, nil)
		return contract.Ref{EnvironmentID: s.Env, ID: made.ID}, err
	}
	ref, err := subscribe()
	require.NoError(t, err)
	servicetest.Charge(t, s, ref)
	made, _, err := s.Store.Invoices.List(t.Context(), s.Env, db.InvoiceFilter{SubscriptionID: ref.ID}, db.Page{Limit: 10})
	require.NoError(t, err)
	require.Equal(t, money.Minor(500), made[0].AmountDue)

	require.NoError(t, svc.Invoices.VoidInvoice(t.Context(), by, made[0].ID, usecase.Around[invoice.Invoice]{}))
	sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	left, _ := sub.Discounts[0].Left(sub.PeriodIndex)
	require.Equal(t, 1, left)
	_, err = subscribe()
	require.Equal(t, "coupon_used_up", fault.From(err).Code)

	_, _, err = command(t, s, ref.ID, lifecycle.Cancel{Immediate: true})
	require.NoError(t, err)
	found, err := s.Store.Catalog.CouponByCode(t.Context(), s.Env, c.Code)
	require.NoError(t, err)
	require.Zero(t, found.Redeemed)
	second, err := subscribe()
	require.NoError(t, err)

	// A void after the end reads the discounts of the subscription's other invoices from the database.
	servicetest.Charge(t, s, second)
	_, _, err = command(t, s, second.ID, lifecycle.Cancel{Immediate: true})
	require.NoError(t, err)
	made, _, err = s.Store.Invoices.List(t.Context(), s.Env, db.InvoiceFilter{SubscriptionID: second.ID},
		db.Page{Limit: 10})
	require.NoError(t, err)
	require.NoError(t, svc.Invoices.VoidInvoice(t.Context(), by, made[0].ID, usecase.Around[invoice.Invoice]{}))
	found, err = s.Store.Catalog.CouponByCode(t.Context(), s.Env, c.Code)
	require.NoError(t, err)
	require.Zero(t, found.Redeemed)
	s.RequireSound(t)
}

package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

func TestCoupons_CreateChangeRedeem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Coupon](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/coupons",
		`{"code":"Welcome","percent":"12.50","duration":"repeating","periods":3,"maxRedemptions":1}`))
	require.Equal(t, Coupon{
		ID: made.ID, Code: "Welcome", Name: "Welcome", Percent: "12.5", Duration: "repeating", Periods: 3, MaxRedemptions: 1,
		Active: true, CreatedAt: made.CreatedAt,
	}, made)
	sub := b.newSubscription(t, b.test)
	with := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "POST", "/v1/subscriptions/"+sub.ID+"/coupons",
		`{"couponCode":"WELCOME"}`))
	require.Len(t, with.Discounts, 1)
	require.Equal(t, []any{made.ID, "12.5", 3}, []any{
		with.Discounts[0].CouponID, with.Discounts[0].Percent, with.Discounts[0].PeriodsLeft,
	})
	problem(t, http.StatusConflict, "coupon_used_up", "couponCode", b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": sub.CustomerID, "planId": sub.PlanID, "couponCode": "welcome"}))
	problem(t, http.StatusNotFound, "coupon_not_found", "couponCode", b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": sub.CustomerID, "planId": sub.PlanID, "couponCode": "none"}))

	path := "/api/coupons/" + made.ID
	require.Equal(t, 1, as[Coupon](t, http.StatusOK, b.ask(t, b.test, "GET", path, nil)).TimesRedeemed)
	changed := as[Coupon](t, http.StatusOK, b.ask(t, b.test, "PATCH", path,
		`{"name":"Welcome!","active":false,"redeemBy":1800000000}`))
	require.Equal(t, []any{"Welcome!", false, int64(1800000000)}, []any{changed.Name, changed.Active, changed.RedeemBy})
	require.Zero(t, as[Coupon](t, http.StatusOK, b.ask(t, b.test, "PATCH", path, `{"redeemBy":0}`)).RedeemBy)
	listed := func(query string) int {
		return len(as[httpkit.List[Coupon]](t, http.StatusOK, b.ask(t, b.test, "GET", "/api/coupons"+query, nil)).Data)
	}
	require.Equal(t, []int{1, 0, 1, 0}, []int{
		listed(""), listed("?active=true"), listed("?code=WELCOME"), listed("?code=OTHER"),
	})

	gone := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "DELETE",
		"/api/subscriptions/"+sub.ID+"/coupons/"+made.ID, nil))
	require.Empty(t, gone.Discounts)
	problem(t, http.StatusNotFound, "coupon_not_redeemed", "", b.ask(t, b.test, "DELETE",
		"/api/subscriptions/"+sub.ID+"/coupons/"+made.ID, nil))
}

func TestCoupons_Refused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	as[Coupon](
		t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/coupons", `{"code":"A","percent":"1","duration":"once"}`),
	)
	problem(t, http.StatusConflict, "coupon_code_taken", "code",
		b.ask(t, b.test, "POST", "/api/coupons", `{"code":"a","percent":"1","duration":"once"}`))
	for body, want := range map[string][2]string{
		`{"code":"B %","percent":"1","duration":"once"}`:                          {"coupon_code_invalid", "code"},
		`{"code":"B","percent":"101","duration":"once"}`:                          {"discount_out_of_range", "percent"},
		`{"code":"B","duration":"once"}`:                                          {"discount_kind_unclear", "percent"},
		`{"code":"B","amount":5,"duration":"once"}`:                               {"coupon_currency_unclear", "currency"},
		`{"code":"B","amount":5,"currency":"XXY","duration":"once"}`:              {"currency_unknown", "currency"},
		`{"code":"B","percent":"1","duration":"repeating"}`:                       {"coupon_periods_out_of_range", "periods"},
		`{"code":"B","percent":"1","duration":"once","planIds":["plan_of_none"]}`: {"plan_not_found", "planIds[0]"},
	} {
		status := http.StatusUnprocessableEntity
		if want[0] == "plan_not_found" {
			status = http.StatusNotFound
		}
		problem(t, status, want[0], want[1], b.ask(t, b.test, "POST", "/api/coupons", body))
	}
}

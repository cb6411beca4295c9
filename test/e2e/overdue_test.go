package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// TestOverdue_ThreeOpenInvoices: a customer on a test clock whose card fails loses access with the third open invoice,
// has it again with another card, and is canceled when the debts of a later month are left for long. Everything stops on
// the way.
func TestOverdue_ThreeOpenInvoices(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Config{})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	d := &debtor{t: t, ctx: ctx, env: w.Environments[0]}
	start := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)
	d.begin(start)
	require.Equal(t, [2]any{true, "paid"}, d.access())

	d.card("pm_card_chargeCustomerFail")
	d.to(start.AddDate(0, 1, 1)) // three renewals have failed once
	require.Equal(t, [2]any{false, "customer_overdue"}, d.access())
	require.Equal(t, "blocked", d.state())
	w.Service.Kill(t)
	w.Service.Start(t)

	d.card("pm_card_visa")
	d.to(start.AddDate(0, 1, 5)) // at once, or by the next retry
	require.Equal(t, [2]any{true, "paid"}, d.access())
	require.Empty(t, d.state())

	d.card("pm_card_chargeCustomerFail")
	d.to(start.AddDate(0, 2, 1))
	require.Equal(t, "blocked", d.state())
	d.to(start.AddDate(0, 2, 31))
	require.Equal(t, "ended", d.state())
	require.Equal(t, false, d.access()[0])
	var kept int
	for _, sub := range d.subs {
		var s struct {
			Status       string `json:"status"`
			CancelReason string `json:"cancelReason"`
		}
		require.NoError(t, d.env.Get(ctx, "/api/subscriptions/"+sub, &s))
		require.Equal(t, [2]string{"canceled", "customer_overdue"}, [2]string{s.Status, s.CancelReason})
	}
	require.NoError(t, w.Pool.QueryRow(ctx,
		"select count(*) from events where type = 'subscription.canceled' and customer_id = $1", d.customer).Scan(&kept))
	require.Equal(t, len(d.subs), kept)
	d.card("pm_card_visa")
	load.PayAll(t, d.env, settled)
	require.Empty(t, d.state())
	require.Equal(t, [2]any{false, "canceled"}, d.access(), "a payment brings no subscription back")
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

// debtor is a customer on a test clock with three subscriptions.
type debtor struct {
	t               *testing.T
	ctx             context.Context //nolint:containedctx // one story's, as t is
	env             *world.Environment
	clock, customer string
	subs            []string
}

func (d *debtor) change(method, path string, body world.Object) {
	d.t.Helper()
	_, err := d.env.Change(d.ctx, method, path, body)
	require.NoError(d.t, err)
}

func (d *debtor) create(path string, body world.Object) string {
	d.t.Helper()
	id, err := d.env.Create(d.ctx, path, body)
	require.NoError(d.t, err)
	return id
}

func (d *debtor) begin(start time.Time) {
	d.t.Helper()
	d.change(http.MethodPatch, "/api/settings", world.Object{"overduePolicy": world.Object{"states": []world.Object{
		{"name": "blocked", "invoices": 3, "access": "deny"},
		{"name": "ended", "days": 30, "access": "deny", "subscriptions": "cancel", "needsPerson": true},
	}}})
	plan := d.create("/api/plans", world.Object{"name": "Plan", "currency": "EUR", "interval": "month", "amount": 1000})
	d.clock = d.create("/api/test-clocks", world.Object{"now": start.Unix()})
	payer := payerBy("pm_card_visa")
	payer["testClockId"] = d.clock
	d.customer = d.create("/api/customers", payer)
	for range 3 {
		d.subs = append(d.subs, d.create("/api/subscriptions", world.Object{"customerId": d.customer, "planId": plan}))
	}
	d.to(start.Add(time.Hour))
}

// card replaces the payment method.
func (d *debtor) card(token string) {
	d.t.Helper()
	d.change(http.MethodPatch, "/api/customers/"+d.customer,
		world.Object{"paymentMethod": "card", "paymentDetails": card(token)["paymentDetails"]})
}

// to advances the clock.
func (d *debtor) to(at time.Time) {
	d.t.Helper()
	require.NoError(d.t, load.Advance(d.ctx, d.env, d.clock, at))
}

func (d *debtor) access() [2]any {
	d.t.Helper()
	var a struct {
		Allowed bool   `json:"allowed"`
		Reason  string `json:"reason"`
	}
	require.NoError(d.t, d.env.Get(d.ctx, "/api/customers/"+d.customer+"/access", &a))
	return [2]any{a.Allowed, a.Reason}
}

// state is the customer's by the overdue policy; empty: none.
func (d *debtor) state() string {
	d.t.Helper()
	var c struct {
		Overdue struct {
			State string `json:"state"`
		} `json:"overdue"`
	}
	require.NoError(d.t, d.env.Get(d.ctx, "/api/customers/"+d.customer, &c))
	return c.Overdue.State
}

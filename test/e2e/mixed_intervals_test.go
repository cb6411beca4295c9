package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// TestMixedIntervals_AYear: a plan for a year that gets seats by the month within its first year. The seats change, the
// year renews, and the subscription ends with its second year. Everything stops on the way.
func TestMixedIntervals_AYear(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Config{})
	w.Service.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	d := &debtor{t: t, ctx: ctx, env: w.Environments[0]}
	start := time.Date(2027, 1, 15, 12, 0, 0, 0, time.UTC)
	plan := d.create("/api/plans",
		world.Object{"name": "Annual", "currency": "EUR", "interval": "year", "amount": 120_000})
	seats := d.create("/api/plans", world.Object{"kind": "add_on", "name": "Seats", "currency": "EUR", "interval": "month",
		"prices": []world.Object{{"model": "per_unit", "unitAmount": "1000"}}})
	d.clock = d.create("/api/test-clocks", world.Object{"now": start.Unix()})
	payer := payerBy("pm_card_visa")
	payer["testClockId"] = d.clock
	d.customer = d.create("/api/customers", payer)
	sub := "/api/subscriptions/" + d.create("/api/subscriptions", world.Object{"customerId": d.customer, "planId": plan})
	seat := func(n int) {
		d.change(http.MethodPatch, sub, world.Object{"addOns": []world.Object{{"planId": seats, "quantity": n}}})
	}
	month := func(n int) time.Time { return start.AddDate(0, n, 0) }
	rest := func(of money.Minor, n int, from time.Time) money.Minor {
		own := period.Period{Start: month(n), End: month(n + 1)}
		return money.Part(of, from.Unix()-own.Start.Unix(), own.Seconds(), own.Seconds())
	}

	added, changed := month(1).AddDate(0, 0, 5), month(3).AddDate(0, 0, 10)
	d.to(added)
	seat(2)
	require.Equal(t, [2]int64{month(2).Unix(), month(12).Unix()}, d.ends(sub))
	d.to(changed)
	seat(5)
	w.Service.Kill(t)
	w.Service.Start(t)
	d.to(month(12).Add(time.Hour))

	want := []money.Minor{120_000, rest(2_000, 1, added), 2_000, 2_000, rest(5_000, 3, changed) - rest(2_000, 3, changed)}
	for range 8 {
		want = append(want, 5_000)
	}
	want = append(want, 125_000)
	require.Equal(t, want, d.totals(sub))
	require.Equal(t, [2]int64{month(13).Unix(), month(24).Unix()}, d.ends(sub))

	d.change(http.MethodPost, sub+"/cancel", world.Object{})
	d.to(month(23).Add(time.Hour))
	require.Equal(t, [2]any{true, "paid"}, d.access())
	d.to(month(24).Add(time.Hour))
	require.Equal(t, [2]any{false, "canceled"}, d.access())
	for range 11 {
		want = append(want, 5_000)
	}
	require.Equal(t, want, d.totals(sub))
	load.PayAll(t, d.env, settled)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

// ends returns the ends of the current period and of the plan's own.
func (d *debtor) ends(sub string) [2]int64 {
	d.t.Helper()
	var s struct {
		CurrentPeriodEnd int64 `json:"currentPeriodEnd"`
		PlanPeriodEnd    int64 `json:"planPeriodEnd"`
	}
	require.NoError(d.t, d.env.Get(d.ctx, sub, &s))
	return [2]int64{s.CurrentPeriodEnd, s.PlanPeriodEnd}
}

// totals returns the totals of a subscription's invoices, the oldest first.
func (d *debtor) totals(sub string) (totals []money.Minor) {
	d.t.Helper()
	var list struct {
		Data []struct {
			Total money.Minor `json:"total"`
		} `json:"data"`
	}
	path := "/api/invoices?limit=100&subscriptionId=" + strings.TrimPrefix(sub, "/api/subscriptions/")
	require.NoError(d.t, d.env.Get(d.ctx, path, &list))
	for _, inv := range list.Data {
		totals = append([]money.Minor{inv.Total}, totals...)
	}
	return totals
}

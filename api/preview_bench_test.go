package api

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkPreview previews a change of seats at the end of the period, on a plan with ten prices, a coupon and a tax,
// with the three invoices after it, and reports the median and the 99th percentile of the answer: go test ./api -run
// '^$' -bench Preview.
func BenchmarkPreview(b *testing.B) {
	f := newBench(b)
	prices := make([]map[string]any, 10)
	for i := range prices {
		prices[i] = map[string]any{"model": "graduated", "tiers": []map[string]any{
			{"upTo": "10", "unitAmount": "990"}, {"unitAmount": "790"},
		}}
	}
	made := as[Plan](b, http.StatusCreated, f.ask(b, f.test, "POST", "/api/plans",
		map[string]any{"name": "Team", "currency": "USD", "interval": "month", "prices": prices}))
	as[TaxRate](b, http.StatusCreated, f.ask(b, f.test, "POST", "/api/tax-rates",
		`{"name":"VAT","percent":"19","country":"DE"}`))
	as[Coupon](b, http.StatusCreated, f.ask(b, f.test, "POST", "/api/coupons",
		`{"code":"TENTH","percent":"10","duration":"forever"}`))
	customer := f.newCustomer(b, f.test, "country", "DE")
	sub := as[Subscription](b, http.StatusCreated, f.ask(b, f.test, "POST", "/api/subscriptions", map[string]any{
		"customerId": customer.ID, "planId": made.ID, "quantity": 20, "couponCode": "TENTH",
	}))
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		got := f.ask(b, f.test, "POST", "/api/subscriptions/"+sub.ID+"/preview",
			`{"quantity":30,"effective":"period_end","upcomingCount":3}`)
		took = append(took, time.Since(began))
		require.Equal(b, http.StatusOK, got.Status, "%s", got.Body)
	}
	slices.Sort(took)
	for name, at := range map[string]int{"p50-ms": 50, "p99-ms": 99} {
		b.ReportMetric(float64(took[(len(took)-1)*at/100].Microseconds())/1000, name)
	}
}

package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"perennial/api/clocks"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// testclock measures the time of twelve paid months on a test clock, through the public API.
func testclock(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	out := result.Row{Path: "test clock: 12 paid months", Unit: "s", Goal: result.Goal{Most: 4}}
	for round := range o.Rounds + 1 {
		r.Settle(ctx)
		took, err := aYear(ctx, r)
		if err != nil {
			return result.Result{}, err
		}
		if round > 0 { // the first one warms up
			out.Ours = append(out.Ours, took.Seconds())
		}
		r.Say("testclock: %s", took.Round(time.Millisecond))
	}
	return result.Result{Rows: []result.Row{out}}, nil
}

func aYear(ctx context.Context, r *rig.Rig) (time.Duration, error) {
	start := time.Date(2027, 1, 31, 9, 0, 0, 0, time.UTC)
	var clock, customer, sub struct {
		ID string `json:"id"`
	}
	if err := r.Make(ctx, "/api/test-clocks", fmt.Sprintf(`{"now":%d}`, start.Unix()), &clock); err != nil {
		return 0, err
	}
	body := `{"testClockId":"` + clock.ID + `","email":"bench@example.com","paymentMethod":"card",` +
		`"paymentDetails":{"customerToken":"cus_1","paymentMethodToken":"pm_card_visa"}}`
	if err := r.Make(ctx, "/api/customers", body, &customer); err != nil {
		return 0, err
	}
	body = `{"customerId":"` + customer.ID + `","planId":"` + r.Stage.Basic.ID + `"}`
	if err := r.Make(ctx, "/api/subscriptions", body, &sub); err != nil {
		return 0, err
	}
	began := time.Now()
	to := start.AddDate(0, 11, 15) // eleven renewals after the first payment
	raw, err := r.Ask(ctx, http.MethodPost, r.Ours.URL+"/api/test-clocks/"+clock.ID+"/advance",
		fmt.Sprintf(`{"to":%d}`, to.Unix()), http.StatusOK, "Prefer", "wait=30")
	took := time.Since(began)
	if err != nil {
		return 0, err
	}
	var advanced clocks.TestClock
	if err := json.Unmarshal(raw, &advanced); err != nil {
		return 0, err
	}
	if advanced.Status != "ready" || advanced.Now != to.Unix() {
		return 0, fmt.Errorf("testclock: the clock is %s at %d, not ready at %d", advanced.Status, advanced.Now, to.Unix())
	}
	var paid int
	const count = "select count(*) from invoices where subscription_id = $1 and status = 'paid'"
	err = r.Ours.Pool.QueryRow(ctx, count, sub.ID).Scan(&paid)
	if err == nil && paid != 12 {
		err = fmt.Errorf("testclock: %d paid invoices, not 12", paid)
	}
	return took, err
}

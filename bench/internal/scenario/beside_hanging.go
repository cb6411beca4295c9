package scenario

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"perennial/bench/internal/machine"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// besideHanging measures paid renewals while another provider takes requests and never answers, for five minutes at
// full scale, and compares them with the same renewals before that, which its rows call bare. It runs last: the hanging
// payments continue after it.
func besideHanging(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	n, hanging, rest := Pick(o, 60, 500), Pick(o, 40, 200), Pick(o, 0, rig.RestBeforeDue)
	payers, err := wallets(ctx, r, hanging)
	if err != nil {
		return out, err
	}
	gap, err := r.GapFor(ctx, []string{rig.SideOurs}, n)
	if err != nil {
		return out, err
	}
	before, err := renew(ctx, r, &out, "before", o.Rounds, n, gap, rest)
	if err != nil {
		return out, err
	}
	began := time.Now()
	if err := outage(ctx, r, "hang"); err != nil {
		return out, err
	}
	var payment struct{ ID string }
	for _, payer := range payers {
		body := fmt.Sprintf(`{"customerId":%q,"amount":1000,"currency":"GHS"}`, payer)
		if err := r.Make(ctx, "/api/payments", body, &payment); err != nil {
			return out, err
		}
	}
	during, err := renew(ctx, r, &out, "during", o.Rounds, n, max(gap, Pick(o, 0, 100*time.Second)), rest)
	if err != nil {
		return out, err
	}
	lasted := time.Since(began)
	ended := 0
	err = r.Ours.Pool.QueryRow(ctx,
		"select count(*) from transactions where customer_id = any($1) and status <> 'pending'", payers).Scan(&ended)
	if err == nil && ended > 0 {
		err = fmt.Errorf("%d payments ended at a provider that hangs", ended)
	}
	if err != nil {
		return out, err
	}
	out.Notes = append(out.Notes, fmt.Sprintf("%d payments hung for %s", hanging, lasted.Round(time.Second)))
	out.Rows = []result.Row{{
		Path: fmt.Sprintf("paid renewals while another provider hangs; bare: before it does, %d due", n), Unit: "1/s",
		Goal: result.Goal{Ratio: 0.9}, Ours: during.rates, Bare: before.rates, OursCPU: machine.Average(during.cpu),
		BareCPU: machine.Average(before.cpu),
	}}
	return out, outage(ctx, r, "")
}

// waved has the figures of several waves of renewals.
type waved struct {
	rates []float64 // per second
	cpu   []map[string]float64
}

// renew measures waves of n renewals of the product.
func renew(
	ctx context.Context, r *rig.Rig, out *result.Result, when string, count, n int, gap, rest time.Duration,
) (all waved, err error) {
	r.Say("beside a provider that hangs, %s: preparing %d × %d subscriptions, due every %s", when, count, n, gap)
	waves, err := r.Schedule(ctx, slices.Repeat([]string{rig.SideOurs}, count), n, gap, rest)
	if err != nil {
		return all, err
	}
	for i := range waves {
		w := &waves[i]
		if time.Now().After(w.Due) {
			out.Notes = append(out.Notes, fmt.Sprintf("wave %d %s fell due before the one before it was done", i, when))
		}
		if err := r.Watch(ctx, w); err != nil {
			return all, err
		}
		r.Say("beside a provider that hangs, %s: %s/s", when, result.Number(w.Rate()))
		all.rates, all.cpu = append(all.rates, w.Rate()), append(all.cpu, w.CPU)
	}
	return all, nil
}

// wallets adds an account at pawaPay, and customers with wallets there.
func wallets(ctx context.Context, r *rig.Rig, n int) (ids []string, err error) {
	var made struct{ ID string }
	account := `{"provider":"pawapay","apiToken":"token_simulator"}`
	if err := r.Make(ctx, "/api/payment-providers", account, &made); err != nil {
		return nil, err
	}
	for i := range n {
		body := fmt.Sprintf(`{"paymentMethod":"mobile_money_mtn","paymentDetails":{"phoneNumber":"+23324%04d789"}}`, i)
		if err := r.Make(ctx, "/api/customers", body, &made); err != nil {
			return nil, err
		}
		ids = append(ids, made.ID)
	}
	return ids, nil
}

// outage breaks pawaPay's simulator until the next call.
func outage(ctx context.Context, r *rig.Rig, mode string) error {
	body := fmt.Sprintf(`{"mode":%q,"for":"1h"}`, mode)
	_, err := r.Ask(ctx, http.MethodPut, r.PawaPay+"/_simulator/outage", body, http.StatusOK)
	return err
}

package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// besideHanging measures paid renewals while another provider takes requests and never answers, for five minutes at
// full scale, beside the same renewals before that. Its rows call the renewals before it bare. It runs last: the
// payments that hang go on after it.
func besideHanging(ctx context.Context, r *rig, o options) (result, error) {
	var out result
	n, hanging, rest := pick(o, 60, 500), pick(o, 40, 200), pick(o, 0, restBeforeDue)
	payers, err := wallets(ctx, r, hanging)
	if err != nil {
		return out, err
	}
	gap, err := r.gapFor(ctx, []string{sideOurs}, n)
	if err != nil {
		return out, err
	}
	before, err := renew(ctx, r, &out, "before", o.rounds, n, gap, rest)
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
		if err := r.make(ctx, "/api/payments", body, &payment); err != nil {
			return out, err
		}
	}
	during, err := renew(ctx, r, &out, "during", o.rounds, n, max(gap, pick(o, 0, 100*time.Second)), rest)
	if err != nil {
		return out, err
	}
	lasted := time.Since(began)
	ended := 0
	err = r.ours.pool.QueryRow(ctx,
		"select count(*) from transactions where customer_id = any($1) and status <> 'pending'", payers).Scan(&ended)
	if err == nil && ended > 0 {
		err = fmt.Errorf("%d payments ended at a provider that hangs", ended)
	}
	if err != nil {
		return out, err
	}
	out.Notes = append(out.Notes, fmt.Sprintf("%d payments hung for %s", hanging, lasted.Round(time.Second)))
	out.Rows = []row{{
		Path: fmt.Sprintf("paid renewals while another provider hangs; bare: before it does, %d due", n), Unit: "1/s",
		Goal: goal{Ratio: 0.9}, Ours: during.rates, Bare: before.rates, OursCPU: averageUsage(during.cpu),
		BareCPU: averageUsage(before.cpu),
	}}
	return out, outage(ctx, r, "")
}

// waved is what waves of renewals showed.
type waved struct {
	rates []float64 // per second
	cpu   []map[string]float64
}

// renew measures waves of n renewals of ours.
func renew(
	ctx context.Context, r *rig, out *result, when string, count, n int, gap, rest time.Duration,
) (all waved, err error) {
	r.say("beside a provider that hangs, %s: preparing %d × %d subscriptions, due every %s", when, count, n, gap)
	waves, err := r.schedule(ctx, slices.Repeat([]string{sideOurs}, count), n, gap, rest)
	if err != nil {
		return all, err
	}
	for i := range waves {
		w := &waves[i]
		if time.Now().After(w.due) {
			out.Notes = append(out.Notes, fmt.Sprintf("wave %d %s fell due before the one before it was done", i, when))
		}
		if err := r.watch(ctx, w); err != nil {
			return all, err
		}
		r.say("beside a provider that hangs, %s: %s/s", when, number(w.rate()))
		all.rates, all.cpu = append(all.rates, w.rate()), append(all.cpu, w.cpu)
	}
	return all, nil
}

// wallets adds an account at pawaPay, and customers who pay there.
func wallets(ctx context.Context, r *rig, n int) (ids []string, err error) {
	var made struct{ ID string }
	account := `{"provider":"pawapay","apiToken":"token_simulator"}`
	if err := r.make(ctx, "/api/payment-providers", account, &made); err != nil {
		return nil, err
	}
	for i := range n {
		body := fmt.Sprintf(`{"paymentMethod":"mobile_money_mtn","paymentDetails":{"phoneNumber":"+23324%04d789"}}`, i)
		if err := r.make(ctx, "/api/customers", body, &made); err != nil {
			return nil, err
		}
		ids = append(ids, made.ID)
	}
	return ids, nil
}

// outage breaks pawaPay's simulator until it is called again.
func outage(ctx context.Context, r *rig, mode string) error {
	body := fmt.Sprintf(`{"mode":%q,"for":"1h"}`, mode)
	_, err := r.ask(ctx, http.MethodPut, r.pawapay+"/_simulator/outage", body, http.StatusOK)
	return err
}

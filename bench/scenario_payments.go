package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"perennial/bench/bare"
)

// mostAdded is what routing, encryption and recording may add to a payment, in milliseconds, half of the time.
const mostAdded = 15

// payments measures POST /api/payments until its status is final, beside a client that starts a workflow, whose one
// activity makes the same call to the provider, and waits for its end. The bare side writes nothing to a database.
func payments(ctx context.Context, r *rig, o options) (result, error) {
	var out result
	lasts := pick(o, 2*time.Second, 10*time.Second)
	customers, err := r.stage.Customers(ctx, r.ours.store, 500, time.Now())
	if err != nil {
		return out, err
	}
	session := strconv.FormatInt(time.Now().UnixNano(), 36)
	for _, clients := range []int{1, 32} {
		measured, err := r.compare(ctx, o, clientsPath("payment to its final status", clients), goal{Ratio: 0.8},
			func(ctx context.Context, round int) (load, error) {
				return drive(ctx, clients, until{after: lasts}, func(ctx context.Context, i int) error {
					return r.pay(ctx, customers[i%len(customers)], fmt.Sprintf("%s-%d-%d-%d", session, clients, round, i))
				})
			},
			func(ctx context.Context, round int) (load, error) {
				return drive(ctx, clients, until{after: lasts}, func(ctx context.Context, i int) error {
					return bare.PayAndWait(ctx, r.bare.temporal, fmt.Sprintf("txn_%s-%d-%d-%d", session, clients, round, i))
				})
			})
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, measured)
		if clients == 1 { // with more of them the time is mostly that of waiting for a processor
			out.Rows = append(out.Rows, row{
				Path: "payment: added to the bare one, p50", Unit: "ms", Goal: goal{Most: mostAdded},
				Ours: []float64{measured.OursP50 - measured.BareP50},
			})
		}
	}
	return out, nil
}

// pay charges a customer and waits for the final status.
func (r *rig) pay(ctx context.Context, customer, key string) error {
	body := fmt.Sprintf(`{"customerId":%q,"amount":1000,"currency":"EUR"}`, customer)
	answer, err := r.ask(ctx, http.MethodPost, r.ours.url+"/api/payments", body, http.StatusCreated,
		"Idempotency-Key", key, "Prefer", "wait=30")
	if err != nil {
		return err
	}
	var payment struct {
		ID     string `json:"id"`
		Status string `json:"status"`
	}
	if err := json.Unmarshal(answer, &payment); err != nil {
		return err
	}
	if payment.Status != "success" {
		return fmt.Errorf("payment %s is %s", payment.ID, payment.Status)
	}
	return nil
}

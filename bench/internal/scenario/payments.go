package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"perennial/bench/bare"
	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
)

// mostAdded is the maximum of milliseconds that routing, encryption and recording may add to the median payment.
const mostAdded = 15

// payments measures POST /api/payments until its status is final, and a client that starts a workflow with one
// activity, which makes the same call to the provider, and waits for its end. The bare side writes nothing to a
// database.
func payments(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	lasts := Pick(o, 2*time.Second, 10*time.Second)
	customers, err := r.Stage.Customers(ctx, r.Ours.Store, 500, time.Now())
	if err != nil {
		return out, err
	}
	session := strconv.FormatInt(time.Now().UnixNano(), 36)
	for _, clients := range []int{1, 32} {
		measured, err := compare(ctx, r, o, result.ClientsPath("payment to its final status", clients), result.Goal{Ratio: 0.8},
			func(ctx context.Context, round int) (load.Load, error) {
				return load.Drive(ctx, clients, load.Until{After: lasts}, func(ctx context.Context, i int) error {
					return pay(ctx, r, customers[i%len(customers)], fmt.Sprintf("%s-%d-%d-%d", session, clients, round, i))
				})
			},
			func(ctx context.Context, round int) (load.Load, error) {
				return load.Drive(ctx, clients, load.Until{After: lasts}, func(ctx context.Context, i int) error {
					return bare.PayAndWait(ctx, r.Bare.Temporal, fmt.Sprintf("txn_%s-%d-%d-%d", session, clients, round, i))
				})
			})
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, measured)
		if clients == 1 { // with more clients, the time is mostly waiting for a processor
			out.Rows = append(out.Rows, result.Row{
				Path: "payment: added to the bare one, p50", Unit: "ms", Goal: result.Goal{Most: mostAdded},
				Ours: []float64{measured.OursP50 - measured.BareP50},
			})
		}
	}
	return out, nil
}

// pay charges a customer and waits for the final status.
func pay(ctx context.Context, r *rig.Rig, customer, key string) error {
	body := fmt.Sprintf(`{"customerId":%q,"amount":1000,"currency":"EUR"}`, customer)
	answer, err := r.Ask(ctx, http.MethodPost, r.Ours.URL+"/api/payments", body, http.StatusCreated,
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

package scenario

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"perennial/bench/bare"
	"perennial/bench/internal/load"
	"perennial/bench/internal/result"
	"perennial/bench/internal/rig"
	"perennial/bench/stage"
)

// create measures POST /api/subscriptions with a trial, and a loop that plays the same inserts and starts a waiting
// workflow. The product answers before the workflow has started: the rate counts until all have started, and the
// latencies are those of the answers.
func create(ctx context.Context, r *rig.Rig, o Options) (result.Result, error) {
	var out result.Result
	lasts := Pick(o, 1500*time.Millisecond, 4*time.Second)
	customers, err := r.Stage.Customers(ctx, r.Ours.Store, 500, time.Now())
	if err != nil {
		return out, err
	}
	bareCustomers, err := r.Stage.Customers(ctx, r.Bare.Store, 500, time.Now())
	if err != nil {
		return out, err
	}
	writes := r.Bare.Script.WritesOnly()
	session := strconv.FormatInt(time.Now().UnixNano(), 36)
	for _, clients := range []int{1, 32, 128} {
		measured, err := compare(ctx, r, o, result.ClientsPath("create", clients), result.Goal{Ratio: 0.8},
			func(ctx context.Context, round int) (load.Load, error) {
				began := time.Now()
				l, err := load.Drive(ctx, clients, load.Until{After: lasts}, func(ctx context.Context, i int) error {
					key := fmt.Sprintf("%s-%d-%d-%d", session, clients, round, i)
					body := bare.CreateBody(customers[i%len(customers)], r.Stage.Basic.ID)
					_, err := r.Ask(ctx, http.MethodPost, r.Ours.URL+"/api/subscriptions", body,
						http.StatusCreated, "Idempotency-Key", key)
					return err
				})
				if err == nil {
					err = load.NoWorkflow(ctx, r.Ours.Pool, "has not started", "finished_at is null and started_epoch = 0")
				}
				l.Seconds = time.Since(began).Seconds()
				return l, err
			},
			func(ctx context.Context, _ int) (load.Load, error) {
				return load.Drive(ctx, clients, load.Until{After: lasts}, func(ctx context.Context, i int) error {
					customer := bareCustomers[i%len(bareCustomers)]
					sub, err := writes.CreateSubscription(ctx, r.Bare.Pool, customer)
					if err != nil {
						return err
					}
					return r.StartBareWorkflow(ctx, bare.Idle, bare.Input{
						Subject: stage.Subject{CustomerID: customer, SubscriptionID: sub}, Due: time.Now().AddDate(0, 0, 14),
					})
				})
			})
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, measured)
	}
	return out, nil
}

package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"go.temporal.io/sdk/client"

	"perennial/bench/bare"
	"perennial/bench/stage"
)

// create measures POST /api/subscriptions with a trial, beside a loop that plays the same inserts and starts a workflow
// that waits. Ours answers before the workflow has started: the rate counts until all have, the latencies are those of
// the answers.
func create(ctx context.Context, r *rig, o options) (result, error) {
	var out result
	lasts := pick(o, 1500*time.Millisecond, 4*time.Second)
	customers, err := r.stage.Customers(ctx, r.ours.store, 500, time.Now())
	if err != nil {
		return out, err
	}
	bareCustomers, err := r.stage.Customers(ctx, r.bare.store, 500, time.Now())
	if err != nil {
		return out, err
	}
	writes := r.bare.script.WritesOnly()
	session := strconv.FormatInt(time.Now().UnixNano(), 36)
	for _, clients := range []int{1, 32, 128} {
		measured, err := r.compare(ctx, o, clientsPath("create", clients), goal{Ratio: 0.8},
			func(ctx context.Context, round int) (load, error) {
				began := time.Now()
				l, err := drive(ctx, clients, until{after: lasts}, func(ctx context.Context, i int) error {
					key := fmt.Sprintf("%s-%d-%d-%d", session, clients, round, i)
					body := bare.CreateBody(customers[i%len(customers)], r.stage.Basic.ID)
					_, err := r.ask(ctx, http.MethodPost, r.ours.url+"/api/subscriptions", body,
						http.StatusCreated, "Idempotency-Key", key)
					return err
				})
				if err == nil {
					err = noWorkflow(ctx, r.ours.pool, "has not started", "finished_at is null and started_epoch = 0")
				}
				l.Seconds = time.Since(began).Seconds()
				return l, err
			},
			func(ctx context.Context, _ int) (load, error) {
				return drive(ctx, clients, until{after: lasts}, func(ctx context.Context, i int) error {
					customer := bareCustomers[i%len(bareCustomers)]
					sub, err := writes.CreateSubscription(ctx, r.bare.pool, customer)
					if err != nil {
						return err
					}
					return r.startBareWorkflow(ctx, bare.Idle, bare.Input{
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

func (r *rig) startBareWorkflow(ctx context.Context, workflow any, in bare.Input) error {
	_, err := r.bare.temporal.ExecuteWorkflow(ctx,
		client.StartWorkflowOptions{ID: in.Subject.SubscriptionID, TaskQueue: bare.QueueBilling}, workflow, in)
	return err
}

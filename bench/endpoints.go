package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"perennial/billing/event"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/vault"
)

// endpoints registers n that want every event. They are written like rows of preparation: the API allows 20.
func (r *rig) endpoints(ctx context.Context, url string, n int) (ids []string, err error) {
	keys, err := vault.New(r.stage.KEK)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	var refs []db.Ref
	err = r.ours.store.InTx(ctx, db.BySystem("bench"), now, func(tx *db.Tx) error {
		for range n {
			e := db.WebhookEndpoint{
				ID: id.New(id.Endpoint, now), URL: url, Events: []string{string(event.Every)}, PayloadShape: event.ShapeA,
			}
			e.SecretSealed, err = keys.Seal(r.stage.Keyset, vault.EndpointSecret(r.stage.AppID, e.ID),
				[]byte("whsec_bench_0123456789abcdef"))
			if err != nil {
				return err
			}
			if err := tx.Webhooks.InsertEndpoint(ctx, r.stage.EnvironmentID, e); err != nil {
				return err
			}
			ids, refs = append(ids, e.ID), append(refs, db.Ref{EnvironmentID: r.stage.EnvironmentID, ID: e.ID})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	epoch, err := r.ours.store.Reconcile.Epoch(ctx)
	if err != nil {
		return nil, err
	}
	return ids, r.ours.store.InTx(ctx, db.BySystem("bench"), now, func(tx *db.Tx) error {
		return tx.Reconcile.SetStarted(ctx, db.StartedEndpoints, epoch, refs) // the reconciler leaves them to the scenario
	})
}

// deleteEndpoints ends them, so that the scenarios that follow owe nothing to anybody.
func (r *rig) deleteEndpoints(ctx context.Context, ids []string) error {
	for _, endpointID := range ids {
		_, err := r.ask(ctx, http.MethodDelete, r.ours.url+"/api/webhooks/"+endpointID, "", http.StatusOK)
		if err != nil {
			return err
		}
	}
	return nil
}

// announce emits n events, which every endpoint is owed; no workflow hears of it yet.
func (r *rig) announce(ctx context.Context, n int) error {
	for left := n; left > 0; left -= eventsAtOnce {
		now := time.Now()
		err := r.ours.store.InTx(ctx, db.BySystem("bench"), now, func(tx *db.Tx) error {
			for range min(left, eventsAtOnce) {
				e := event.New(event.PlanCreated{ID: id.New(id.Plan, now)}, now)
				if err := tx.Emit(ctx, r.stage.EnvironmentID, e); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const eventsAtOnce = 10 // of one transaction of preparation: with 100 endpoints it writes 1,000 deliveries

// wake tells the endpoints' workflows that they are owed something.
func (r *rig) wake(ctx context.Context, ids []string) error {
	_, err := drive(ctx, 8, until{count: len(ids)}, func(ctx context.Context, i int) error {
		return r.ours.engine.WakeEndpoint(ctx, contract.Ref{EnvironmentID: r.stage.EnvironmentID, ID: ids[i]})
	})
	return err
}

// recorded waits until nothing that endpoints are owed is pending. What failed is an error: it measures nothing.
func (r *rig) recorded(ctx context.Context) error {
	number := func(where string) (n int, err error) {
		err = r.ours.pool.QueryRow(ctx, "select count(*) from webhook_deliveries where environment_id = $1 and "+where,
			r.stage.EnvironmentID).Scan(&n)
		return n, err
	}
	for {
		pending, err := number("status = 'pending'")
		if err != nil {
			return err
		}
		if pending == 0 {
			break
		}
		if err := sleepUntil(ctx, time.Now().Add(20*time.Millisecond)); err != nil {
			return err
		}
	}
	failed, err := number("(status = 'failed' or attempts > 1)")
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d deliveries failed, or needed a retry", failed)
	}
	return err
}

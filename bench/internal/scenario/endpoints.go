package scenario

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"perennial/bench/internal/load"
	"perennial/bench/internal/rig"
	"perennial/billing/event"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/vault"
)

// insertEndpoints registers n endpoints for every event. They are written as rows, because the API allows only 20.
func insertEndpoints(ctx context.Context, r *rig.Rig, url string, n int) (ids []string, err error) {
	keys, err := vault.New(r.Stage.KEK)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	var refs []db.Ref
	err = r.Ours.Store.InTx(ctx, db.BySystem("bench"), now, func(tx *db.Tx) error {
		for range n {
			e := db.WebhookEndpoint{
				ID: id.New(id.Endpoint, now), URL: url, Events: []string{string(event.Every)}, PayloadShape: event.ShapeA,
			}
			e.SecretSealed, err = keys.Seal(r.Stage.Keyset, vault.EndpointSecret(r.Stage.AppID, e.ID),
				[]byte("whsec_bench_0123456789abcdef"))
			if err != nil {
				return err
			}
			if err := tx.Webhooks.InsertEndpoint(ctx, r.Stage.EnvironmentID, e); err != nil {
				return err
			}
			ids, refs = append(ids, e.ID), append(refs, db.Ref{EnvironmentID: r.Stage.EnvironmentID, ID: e.ID})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	epoch, err := r.Ours.Store.Reconcile.Epoch(ctx)
	if err != nil {
		return nil, err
	}
	return ids, r.Ours.Store.InTx(ctx, db.BySystem("bench"), now, func(tx *db.Tx) error {
		return tx.Reconcile.SetStarted(ctx, db.StartedEndpoints, epoch, refs) // the scenario wakes them, not the reconciler
	})
}

// deleteEndpoints deletes endpoints, so that later scenarios make no deliveries.
func deleteEndpoints(ctx context.Context, r *rig.Rig, ids []string) error {
	for _, endpointID := range ids {
		_, err := r.Ask(ctx, http.MethodDelete, r.Ours.URL+"/api/webhooks/"+endpointID, "", http.StatusOK)
		if err != nil {
			return err
		}
	}
	return nil
}

// announce emits n events for every endpoint; no workflow is woken yet.
func announce(ctx context.Context, r *rig.Rig, n int) error {
	for left := n; left > 0; left -= eventsAtOnce {
		now := time.Now()
		err := r.Ours.Store.InTx(ctx, db.BySystem("bench"), now, func(tx *db.Tx) error {
			for range min(left, eventsAtOnce) {
				e := event.New(event.PlanCreated{ID: id.New(id.Plan, now)}, now)
				if err := tx.Emit(ctx, r.Stage.EnvironmentID, e); err != nil {
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

// wakeEndpoints signals the endpoints' workflows that deliveries are pending.
func wakeEndpoints(ctx context.Context, r *rig.Rig, ids []string) error {
	_, err := load.Drive(ctx, 8, load.Until{Count: len(ids)}, func(ctx context.Context, i int) error {
		return r.Ours.Engine.WakeEndpoint(ctx, contract.Ref{EnvironmentID: r.Stage.EnvironmentID, ID: ids[i]})
	})
	return err
}

// recorded waits until endpoints have no pending delivery. A failed one is an error: it measures nothing.
func recorded(ctx context.Context, r *rig.Rig) error {
	failed, err := settled(ctx, r, "webhook_deliveries", "(status = 'failed' or attempts > 1)")
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d deliveries failed, or needed a retry", failed)
	}
	return err
}

// settled waits until no row of a table in the stage's environment is pending, and counts those that failed.
func settled(ctx context.Context, r *rig.Rig, table, failed string) (int, error) {
	number := func(where string) (n int, err error) {
		err = r.Ours.Pool.QueryRow(ctx, "select count(*) from "+table+" where environment_id = $1 and "+where,
			r.Stage.EnvironmentID).Scan(&n)
		return n, err
	}
	for {
		pending, err := number("status = 'pending'")
		if err != nil {
			return 0, err
		}
		if pending == 0 {
			return number(failed)
		}
		if err := load.SleepUntil(ctx, time.Now().Add(20*time.Millisecond)); err != nil {
			return 0, err
		}
	}
}

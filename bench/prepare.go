package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"perennial/bench/stage"
	"perennial/billing/lifecycle"
	"perennial/contract"
	"perennial/db"
)

// startOursAll starts workflows as the API does after its commit, and marks the rows as started.
func (r *rig) startOursAll(ctx context.Context, subjects []stage.Subject) error {
	_, err := drive(ctx, 32, until{count: len(subjects)}, func(ctx context.Context, i int) error {
		row := subjects[i].Row()
		first := contract.SnapshotOf(lifecycle.State{Subscription: row}, false)
		return r.ours.engine.StartSubscription(ctx, contract.SubscriptionStart{
			Input: contract.SubscriptionInput{
				Ref: contract.Ref{EnvironmentID: r.stage.EnvironmentID, ID: row.ID}, Snapshot: &first,
			},
			CustomerID: row.CustomerID, PlanID: row.PlanID, Status: string(row.Status), NextAction: string(row.NextAction),
		})
	})
	if err != nil {
		return err
	}
	return r.noteStarted(ctx, subjects)
}

// noteStarted keeps the reconciler from starting what needs no workflow, or has one.
func (r *rig) noteStarted(ctx context.Context, subjects []stage.Subject) error {
	epoch, err := r.ours.store.Reconcile.Epoch(ctx)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(subjects, 500) {
		var refs []db.Ref
		for _, s := range part {
			refs = append(refs, db.Ref{EnvironmentID: r.stage.EnvironmentID, ID: s.SubscriptionID})
		}
		err := r.ours.store.InTx(ctx, db.BySystem("bench"), time.Now(), func(tx *db.Tx) error {
			return tx.Reconcile.SetStarted(ctx, db.StartedSubscriptions, epoch, refs)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func clientsPath(path string, clients int) string {
	if clients == 1 {
		return path + ", 1 client"
	}
	return fmt.Sprintf("%s, %d clients", path, clients)
}

// sleepUntil waits for a time of day.
func sleepUntil(ctx context.Context, at time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}

package rig

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/client"

	"perennial/bench/bare"
	"perennial/bench/internal/load"
	"perennial/bench/stage"
	"perennial/billing/lifecycle"
	"perennial/contract"
	"perennial/db"
)

// StartOursAll starts workflows as the API does after its commit, and marks the rows as started.
func (r *Rig) StartOursAll(ctx context.Context, subjects []stage.Subject) error {
	_, err := load.Drive(ctx, 32, load.Until{Count: len(subjects)}, func(ctx context.Context, i int) error {
		row := subjects[i].Row()
		first := contract.SnapshotOf(lifecycle.State{Subscription: row}, false)
		return r.Ours.Engine.StartSubscription(ctx, contract.SubscriptionStart{
			Input: contract.SubscriptionInput{
				Ref: contract.Ref{EnvironmentID: r.Stage.EnvironmentID, ID: row.ID}, Snapshot: &first,
			},
			CustomerID: row.CustomerID, PlanID: row.PlanID, Status: string(row.Status), NextAction: string(row.NextAction),
		})
	})
	if err != nil {
		return err
	}
	return r.NoteStarted(ctx, subjects)
}

// NoteStarted keeps the reconciler from starting workflows that are not needed, or exist.
func (r *Rig) NoteStarted(ctx context.Context, subjects []stage.Subject) error {
	epoch, err := r.Ours.Store.Reconcile.Epoch(ctx)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(subjects, 500) {
		var refs []db.Ref
		for _, s := range part {
			refs = append(refs, db.Ref{EnvironmentID: r.Stage.EnvironmentID, ID: s.SubscriptionID})
		}
		err := r.Ours.Store.InTx(ctx, db.BySystem("bench"), time.Now(), func(tx *db.Tx) error {
			return tx.Reconcile.SetStarted(ctx, db.StartedSubscriptions, epoch, refs)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// StartBareWorkflow starts a workflow of the bare side.
func (r *Rig) StartBareWorkflow(ctx context.Context, workflow any, in bare.Input) error {
	_, err := r.Bare.Temporal.ExecuteWorkflow(ctx,
		client.StartWorkflowOptions{ID: in.Subject.SubscriptionID, TaskQueue: bare.QueueBilling}, workflow, in)
	return err
}

// Begun waits until the last started workflows have completed their first task, after the work of earlier scenarios.
func (r *Rig) Begun(ctx context.Context, c client.Client, subjects []stage.Subject) error {
	for _, s := range subjects[max(0, len(subjects)-32):] {
		err := load.Eventually(ctx, s.SubscriptionID, func() error {
			d, err := c.DescribeWorkflowExecution(ctx, s.SubscriptionID, "")
			if err == nil && d.GetWorkflowExecutionInfo().GetHistoryLength() < 4 { // started, scheduled, begun, done
				err = errors.New("its first task is not done")
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

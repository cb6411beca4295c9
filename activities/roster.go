package activities

import (
	"context"

	"perennial/db"
)

// BeatEvery is the time between two beats of a worker process.
const BeatEvery = db.BeatEvery

// Beat notes that a worker process of a build is running. It also notes the server of the database, so that a restart
// of it is known before the next charge, which would otherwise wait as if it could have been lost.
func (s Set) Beat(ctx context.Context, id, deployment, buildID string) error {
	return s.store.InTx(ctx, db.BySystem("worker"), s.clock(), func(tx *db.Tx) error {
		if err := tx.Payments.NoteServer(ctx); err != nil {
			return err
		}
		return tx.Reconcile.BeatWorker(ctx, db.WorkerProcess{ID: id, Deployment: deployment, BuildID: buildID})
	})
}

// Leave notes that a worker process takes no new work.
func (s Set) Leave(ctx context.Context, id string) error {
	return s.store.InTx(ctx, db.BySystem("worker"), s.clock(),
		func(tx *db.Tx) error { return tx.Reconcile.StopWorker(ctx, id) })
}

// WorkersOf counts the working processes of a build; known: whether any was ever seen.
func (s Set) WorkersOf(ctx context.Context, deployment, buildID string) (working int, known bool, err error) {
	return s.store.Reconcile.WorkersOf(ctx, deployment, buildID)
}

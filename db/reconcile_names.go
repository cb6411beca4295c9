package db

import "perennial/db/reconcile"

// Callers know these of package reconcile by the name of db.

type (
	Backlog       = reconcile.Backlog
	Keyset        = reconcile.Keyset
	Overdue       = reconcile.Overdue
	Review        = reconcile.Review
	StartedTable  = reconcile.StartedTable
	WorkerProcess = reconcile.WorkerProcess
)

const (
	BeatEvery            = reconcile.BeatEvery
	BeatLife             = reconcile.BeatLife
	StartedEndpoints     = reconcile.StartedEndpoints
	StartedErasures      = reconcile.StartedErasures
	StartedSenders       = reconcile.StartedSenders
	StartedSubscriptions = reconcile.StartedSubscriptions
	StartedTransactions  = reconcile.StartedTransactions
)

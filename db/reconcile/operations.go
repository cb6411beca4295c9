package reconcile

import (
	"context"
	"time"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Backlog shows how far behind the present the whole installation is. It needs neither Temporal nor a worker, so that
// it also shows when both are gone.
type Backlog struct {
	Actions, Payments int           // overdue: subscriptions' next actions, sends of payments and polls of their provider
	ActionAge         time.Duration // since the oldest due action became due; 0: none is due
	PaymentAge        time.Duration // since the oldest due send or poll became due; 0: none is due
	Reviews           int           // payments that need review
	ReviewAge         time.Duration // since the oldest of them was left to a person
	Lost              int           // callbacks about payments of ours that we do not have
	LostAge           time.Duration // since the oldest of them was received
	Erasures          int           // unfinished, without progress for longer than the tolerance
	ErasureAge        time.Duration // since the oldest unfinished one was requested; 0: all are finished
	Disputed          int           // payments with an open dispute
	DisputeAge        time.Duration // since the oldest of them was disputed
	ReconciledAge     time.Duration // since the reconciler last finished a pass; negative: it never has
	Workers           int           // processes that work
	Writable          bool          // false: the server is a standby, or refuses writes
}

// BeatLife is the age of the last beat up to which a worker counts as working. Workers beat every BeatEvery.
const (
	BeatEvery = 5 * time.Second
	BeatLife  = 4 * BeatEvery
)

// Backlog reads it at now; work that is due for longer than the tolerance counts as overdue. Global.
func (r Reader) Backlog(ctx context.Context, now time.Time, tolerance time.Duration) (Backlog, error) {
	now = now.Truncate(time.Microsecond) // PostgreSQL's precision: the age of work that is due now is 0
	row, err := core.Queries.BacklogGet(ctx, r.Handle, dbsqlc.BacklogGetParams{
		Now: now, OverdueBefore: now.Add(-tolerance), AtMost: core.BacklogAtMost, BeatSeconds: BeatLife.Seconds(),
	})
	return Backlog{
		Actions: row.Actions, ActionAge: max(0, now.Sub(row.ActionAt)),
		Payments: row.Payments, PaymentAge: max(0, now.Sub(row.CheckAt)),
		Reviews: row.Reviews, ReviewAge: max(0, now.Sub(row.ReviewAt)),
		Lost: row.Lost, LostAge: max(0, now.Sub(row.LostAt)),
		Erasures: row.Erasures, ErasureAge: max(0, now.Sub(row.ErasureAt)),
		Disputed: row.Disputed, DisputeAge: max(0, now.Sub(row.DisputedAt)),
		ReconciledAge: time.Duration(row.ReconciledAge * float64(time.Second)),
		Workers:       row.Workers, Writable: row.Writable,
	}, core.Translate("BacklogGet", err)
}

// Overdue is a subscription whose next action should have happened.
type Overdue struct {
	core.Ref
	Action string
	DueAt  time.Time // in the subscription's own time
}

// OverdueSubscriptions lists those in real time whose next action was due before then, the oldest first. Global.
func (r Reader) OverdueSubscriptions(ctx context.Context, before time.Time, limit int) ([]Overdue, error) {
	found, err := core.Queries.SubscriptionListOverdue(ctx, r.Handle, dbsqlc.SubscriptionListOverdueParams{
		Before: &before, RowLimit: limit,
	})
	return core.Map(found, func(f dbsqlc.SubscriptionListOverdueRow) Overdue {
		return Overdue{core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, string(f.NextAction), f.DueAt}
	}), core.Translate("SubscriptionListOverdue", err)
}

// BehindClock lists subscriptions whose test clock is ready at or after their next action, and has been ready since
// before a real time. One that stays in the list is stuck. Global.
func (r Reader) BehindClock(ctx context.Context, since time.Time, limit int) ([]Overdue, error) {
	found, err := core.Queries.SubscriptionListBehindClock(ctx, r.Handle, dbsqlc.SubscriptionListBehindClockParams{
		CreatedBefore: id.Earliest(id.Subscription, since), UnchangedSince: since, RowLimit: core.RowLimit(limit),
	})
	return core.Map(found, func(f dbsqlc.SubscriptionListBehindClockRow) Overdue {
		return Overdue{core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, string(f.NextAction), f.DueAt}
	}), core.Translate("SubscriptionListBehindClock", err)
}

// Review is a payment that needs review: a person must find out what became of it.
type Review struct {
	core.Ref
	Tenant, App string // names
	Mode        string // "test" or "live"
	Type        payment.Type
	Status      payment.Status
	Amount      money.Minor
	Currency    money.Currency
	ProviderRef string // empty: none is known
	Reason      string // why it needs review, as a code; empty: from before reasons were kept
	ReviewRef   string // the provider's reference of the operation in review; empty: none
	Since       time.Time
}

// Reviews lists payments that need review, the oldest first. Global.
func (r Reader) Reviews(ctx context.Context, limit int) ([]Review, error) {
	found, err := core.Queries.TransactionListForReview(ctx, r.Handle, core.RowLimit(limit))
	return core.Map(found, func(f dbsqlc.TransactionListForReviewRow) Review {
		return Review{
			Ref: core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, Tenant: f.Tenant, App: f.App, Mode: f.Mode, Type: f.Type,
			Status: f.Status, Amount: f.Amount, Currency: f.Currency,
			ProviderRef: core.Value(f.ProviderRef), Reason: core.Value(f.ReviewReason), ReviewRef: core.Value(f.ReviewRef),
			Since: f.ParkedAt,
		}
	}), core.Translate("TransactionListForReview", err)
}

// SetReconciled notes that a pass of the reconciler has ended.
func (tx *Tx) SetReconciled(ctx context.Context) error {
	return core.Translate("EpochSetReconciled", core.Queries.EpochSetReconciled(ctx, tx.Pipe))
}

// WorkerProcess is one run of one worker process.
type WorkerProcess struct{ ID, Deployment, BuildID string }

// BeatWorker notes that a process works.
func (tx *Tx) BeatWorker(ctx context.Context, w WorkerProcess) error {
	return core.Translate("WorkerBeat", core.Queries.WorkerBeat(ctx, tx.Pipe, dbsqlc.WorkerBeatParams(w)))
}

// StopWorker notes that a process takes no new work.
func (tx *Tx) StopWorker(ctx context.Context, id string) error {
	return core.Translate("WorkerStop", core.Queries.WorkerStop(ctx, tx.Pipe, id))
}

// PurgeWorkers forgets processes not seen since then.
func (tx *Tx) PurgeWorkers(ctx context.Context, before time.Time) error {
	return core.Translate("WorkerPurge", core.Queries.WorkerPurge(ctx, tx.Pipe, before))
}

// WorkersOf counts the processes of a build: those that work now, and whether any was ever known. In a database that
// takes no writes, and so no beats, none is known. Global.
func (r Reader) WorkersOf(ctx context.Context, deployment, buildID string) (working int, known bool, err error) {
	row, err := core.Queries.WorkerCount(ctx, r.Handle, dbsqlc.WorkerCountParams{
		BeatSeconds: BeatLife.Seconds(), Deployment: deployment, BuildID: buildID,
	})
	return row.Working, row.Known > 0, core.Translate("WorkerCount", err)
}

// Workers counts the working processes of all builds. Global.
func (r Reader) Workers(ctx context.Context) (int, error) {
	working, err := core.Queries.WorkerCountAll(ctx, r.Handle, BeatLife.Seconds())
	return working, core.Translate("WorkerCountAll", err)
}

// Keyset is an app's wrapped keyset.
type Keyset struct {
	AppID   string
	Wrapped []byte
}

// Keysets lists the wrapped keysets of apps, those behind an ID in the order of their IDs. Global.
func (r Reader) Keysets(ctx context.Context, after string, limit int) ([]Keyset, error) {
	found, err := core.Queries.KeysetList(ctx, r.Handle,
		dbsqlc.KeysetListParams{After: after, RowLimit: core.RowLimit(limit)})
	return core.Map(found, func(f dbsqlc.KeysetListRow) Keyset { return Keyset{f.ID, f.Keyset} }),
		core.Translate("KeysetList", err)
}

package db

import (
	"context"
	"math"
	"time"

	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/db/internal/dbsqlc"
)

// The reconciler looks over all environments for work that a best-effort step left undone.

// Ref names one row of an environment.
type Ref struct {
	EnvironmentID string
	ID            string
}

// TransactionRef names a transaction and the subscription whose workflow serves it, if any does: not a refund's.
type TransactionRef struct {
	Ref
	SubscriptionID string
}

// StartedTable names the table whose rows have workflows.
type StartedTable string

// The tables.
const (
	StartedSubscriptions StartedTable = "subscriptions"
	StartedTransactions  StartedTable = "transactions"
	StartedEndpoints     StartedTable = "webhook_endpoints"
	StartedErasures      StartedTable = "erasures"
)

// Epoch is the present one.
func (r Reader) Epoch(ctx context.Context) (int64, error) {
	epoch, err := queries.EpochGet(ctx, r.handle)
	return epoch, translate("EpochGet", err)
}

// UnstartedSubscriptions lists unfinished ones whose workflow was not started in this epoch,
// those of the oldest epoch first.
func (r Reader) UnstartedSubscriptions(ctx context.Context, epoch int64, limit int) ([]Ref, error) {
	found, err := queries.SubscriptionListUnstarted(ctx, r.lists(), dbsqlc.SubscriptionListUnstartedParams{
		Epoch: epoch, RowLimit: rowLimit(limit),
	})
	return refs(found, func(f dbsqlc.SubscriptionListUnstartedRow) Ref {
		return Ref(f)
	}), translate("SubscriptionListUnstarted", err)
}

// UnstartedTransactions lists pending ones that no subscription's workflow serves and whose own was not started in this
// epoch, the oldest first of those that were found.
func (r Reader) UnstartedTransactions(ctx context.Context, epoch int64, limit int) ([]Ref, error) {
	found, err := queries.TransactionListUnstarted(ctx, r.lists(), dbsqlc.TransactionListUnstartedParams{
		Epoch: epoch, RowLimit: limit,
	})
	return refs(found, func(f dbsqlc.TransactionListUnstartedRow) Ref {
		return Ref(f)
	}), translate("TransactionListUnstarted", err)
}

// WakePendingPayments lists payments of their own whose workflow was to be told of a decision before then, the oldest
// first.
func (r Reader) WakePendingPayments(ctx context.Context, before time.Time, limit int) ([]Ref, error) {
	found, err := queries.TransactionListWakePending(ctx, r.lists(), dbsqlc.TransactionListWakePendingParams{
		Before: &before, RowLimit: rowLimit(limit),
	})
	return refs(found, func(f dbsqlc.TransactionListWakePendingRow) Ref {
		return Ref(f)
	}), translate("TransactionListWakePending", err)
}

// ClearPaymentsWakePending takes the marks off that were there before then.
func (tx *Tx) ClearPaymentsWakePending(ctx context.Context, told []Ref, before time.Time) error {
	params := dbsqlc.TransactionClearWakePendingParams{Before: &before}
	for _, r := range told {
		params.EnvironmentIds, params.Ids = append(params.EnvironmentIds, r.EnvironmentID), append(params.Ids, r.ID)
	}
	return queries.TransactionClearWakePending(ctx, tx.pipe, params)
}

// WakePayment has the workflow of a payment of its own look at it after the commit, also where Temporal is away then.
func (tx *Tx) WakePayment(ctx context.Context, environmentID, id string) error {
	tx.AfterCommit(CheckTransaction{EnvironmentID: environmentID, ID: id})
	return queries.TransactionSetWakePending(ctx, tx.pipe, dbsqlc.TransactionSetWakePendingParams{
		EnvironmentID: environmentID, ID: id, WakePendingSince: &tx.Real,
	})
}

// BusyClocks lists test clocks that are advancing, the oldest first.
func (r Reader) BusyClocks(ctx context.Context, limit int) ([]Ref, error) {
	found, err := queries.TestClockListAdvancing(ctx, r.lists(), rowLimit(limit))
	return refs(found, func(f dbsqlc.TestClockListAdvancingRow) Ref {
		return Ref(f)
	}), translate("TestClockListAdvancing", err)
}

// WakePendingBefore lists subscriptions whose workflow was to be woken before then and has not acted, those of each
// environment in turn.
func (r Reader) WakePendingBefore(ctx context.Context, before time.Time, limit int) ([]Ref, error) {
	found, err := queries.SubscriptionListWakePending(ctx, r.lists(), dbsqlc.SubscriptionListWakePendingParams{
		Before: &before, RowLimit: limit,
	})
	return refs(found, func(f dbsqlc.SubscriptionListWakePendingRow) Ref {
		return Ref(f)
	}), translate("SubscriptionListWakePending", err)
}

// OpenCallbacksBefore lists transactions with a callback received before then and not processed, each once, those of
// each provider configuration in turn.
func (r Reader) OpenCallbacksBefore(ctx context.Context, before time.Time, limit int) ([]TransactionRef, error) {
	found, err := queries.CallbackListOpen(ctx, r.lists(), dbsqlc.CallbackListOpenParams{Before: before, RowLimit: limit})
	return refs(found, func(f dbsqlc.CallbackListOpenRow) TransactionRef {
		return transactionRef(dbsqlc.TransactionListOverdueRow(f))
	}), translate("CallbackListOpen", err)
}

// OverdueChecks lists pending transactions whose first send, or next look at the provider, was due before then; those
// of each provider configuration in turn, and of each environment those that no configuration has; the latest first.
func (r Reader) OverdueChecks(ctx context.Context, before time.Time, limit int) ([]TransactionRef, error) {
	found, err := queries.TransactionListOverdue(ctx, r.lists(), dbsqlc.TransactionListOverdueParams{
		Before: &before, RowLimit: limit,
	})
	return refs(found, transactionRef), translate("TransactionListOverdue", err)
}

// KeptReturns lists pending transactions whose payer came back before one time with what completes the charge, and
// no provider was given it, however far away their next check is; not those whose check was due before the other
// time, which OverdueChecks lists. At most the latest ones, and ever more rarely those whose account is asked in
// vain. Global.
func (r Reader) KeptReturns(ctx context.Context, before, overdue time.Time, limit int) ([]TransactionRef, error) {
	found, err := queries.TransactionListBrought(ctx, r.lists(), dbsqlc.TransactionListBroughtParams{
		Before: &before, Overdue: &overdue, RowLimit: rowLimit(limit),
	})
	return refs(found, func(f dbsqlc.TransactionListBroughtRow) TransactionRef {
		return transactionRef(dbsqlc.TransactionListOverdueRow(f))
	}), translate("TransactionListBrought", err)
}

// SilentProbes lists one payment of each provider account that has left everything unanswered since before then: one whose
// own last exchange was not answered, to find out whether the account answers again.
func (r Reader) SilentProbes(ctx context.Context, now, before time.Time, limit int) ([]TransactionRef, error) {
	found, err := queries.TransactionListProbes(ctx, r.lists(), dbsqlc.TransactionListProbesParams{
		Now: &now, Before: &before, RowLimit: rowLimit(limit),
	})
	return refs(found, func(f dbsqlc.TransactionListProbesRow) TransactionRef {
		return transactionRef(dbsqlc.TransactionListOverdueRow(f))
	}), translate("TransactionListProbes", err)
}

// ReleaseUnanswered makes payments due that an account left unanswered which answers again, and lists them: each once for
// each exchange that was not answered. more: an account may have more of them than its share of the limit. Global.
func (tx *Tx) ReleaseUnanswered(ctx context.Context, limit int) (released []TransactionRef, more bool, err error) {
	found, err := queries.TransactionReleaseUnanswered(ctx, tx.pipe,
		dbsqlc.TransactionReleaseUnansweredParams{
			RowLimit: limit, Now: &tx.Real, OutageSeconds: routing.Outage.Seconds(), RestShare: routing.RestShare,
		})
	return refs(found, func(f dbsqlc.TransactionReleaseUnansweredRow) TransactionRef {
		more = more || f.Whole
		return releasedRef(dbsqlc.TransactionReleaseRow{
			EnvironmentID: f.EnvironmentID, ID: f.ID, Type: f.Type, SubscriptionID: f.SubscriptionID, FinishedAt: f.FinishedAt,
		})
	}), more, translate("TransactionReleaseUnanswered", err)
}

// EndRecoveries notes of the accounts that answer again since before then that their payments have been woken. Global.
func (tx *Tx) EndRecoveries(ctx context.Context, before time.Time) error {
	return queries.BreakerEndRecovery(ctx, tx.pipe, before)
}

// LateSubscriptions lists those in real time whose next action was due before then, those of each environment in turn,
// the latest first.
func (r Reader) LateSubscriptions(ctx context.Context, before time.Time, limit int) ([]Ref, error) {
	found, err := queries.SubscriptionListLate(ctx, r.lists(),
		dbsqlc.SubscriptionListLateParams{Before: &before, RowLimit: limit})
	return refs(found, func(f dbsqlc.SubscriptionListLateRow) Ref {
		return Ref(f)
	}), translate("SubscriptionListLate", err)
}

// OverlookedSubscriptions lists those in real time of which a row carries a date before then that they do not wait for,
// whatever wrote their next action; those of each environment in turn.
func (r Reader) OverlookedSubscriptions(ctx context.Context, before time.Time, limit int) ([]Ref, error) {
	found, err := queries.SubscriptionListOverlooked(ctx, r.lists(), dbsqlc.SubscriptionListOverlookedParams{
		Before: before, RowLimit: limit,
	})
	return refs(found, func(f dbsqlc.SubscriptionListOverlookedRow) Ref {
		return Ref(f)
	}), translate("SubscriptionListOverlooked", err)
}

// UnstartedEndpoints lists enabled webhook endpoints whose workflow was not started in this epoch.
func (r Reader) UnstartedEndpoints(ctx context.Context, epoch int64, limit int) ([]Ref, error) {
	found, err := queries.WebhookEndpointListUnstarted(ctx, r.lists(), dbsqlc.WebhookEndpointListUnstartedParams{
		Epoch: epoch, RowLimit: rowLimit(limit),
	})
	return refs(found, func(f dbsqlc.WebhookEndpointListUnstartedRow) Ref {
		return Ref(f)
	}), translate("WebhookEndpointListUnstarted", err)
}

// AsleepEndpoints lists webhook endpoints that were to be woken before one time, or had something to do before the
// other, the longest waiting first.
func (r Reader) AsleepEndpoints(ctx context.Context, wokenBefore, dueBefore time.Time, limit int) ([]Ref, error) {
	found, err := queries.WebhookEndpointListAsleep(ctx, r.lists(), dbsqlc.WebhookEndpointListAsleepParams{
		WakeBefore: &wokenBefore, DueBefore: &dueBefore, RowLimit: limit,
	})
	return refs(found, func(f dbsqlc.WebhookEndpointListAsleepRow) Ref {
		return Ref(f)
	}), translate("WebhookEndpointListAsleep", err)
}

// SetStarted notes that the workflows of these rows were started in an epoch.
func (tx *Tx) SetStarted(ctx context.Context, table StartedTable, epoch int64, started []Ref) error {
	environmentIDs, ids := make([]string, len(started)), make([]string, len(started))
	for i, ref := range started {
		environmentIDs[i], ids[i] = ref.EnvironmentID, ref.ID
	}
	in := dbsqlc.SubscriptionSetStartedParams{Epoch: epoch, EnvironmentIds: environmentIDs, Ids: ids}
	switch table {
	case StartedTransactions:
		return queries.TransactionSetStarted(ctx, tx.pipe, dbsqlc.TransactionSetStartedParams(in))
	case StartedErasures:
		return queries.ErasureSetStarted(ctx, tx.pipe, dbsqlc.ErasureSetStartedParams(in))
	case StartedEndpoints:
		return queries.WebhookEndpointSetStarted(ctx, tx.pipe, dbsqlc.WebhookEndpointSetStartedParams(in))
	default:
		return queries.SubscriptionSetStarted(ctx, tx.pipe, in)
	}
}

// IncrementEpoch begins a new one: whatever was started before is started again.
func (tx *Tx) IncrementEpoch(ctx context.Context) (int64, error) {
	epoch, err := queries.EpochIncrement(ctx, tx.pipe)
	return epoch, translate("EpochIncrement", err)
}

func transactionRef(f dbsqlc.TransactionListOverdueRow) TransactionRef {
	ref := TransactionRef{Ref: Ref{f.EnvironmentID, f.ID}}
	if f.Type == payment.Charge && f.FinishedAt == nil {
		ref.SubscriptionID = value(f.SubscriptionID)
	}
	return ref
}

func refs[R, T any](found []R, from func(R) T) []T {
	out := make([]T, 0, len(found))
	for _, f := range found {
		out = append(out, from(f))
	}
	return out
}

// rowLimit makes a row limit of a count.
func rowLimit(limit int) int32 { return int32(min(max(limit, 0), math.MaxInt32)) }

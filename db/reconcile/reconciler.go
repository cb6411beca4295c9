package reconcile

import (
	"context"
	"time"

	"perennial/billing/routing"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/payments"
)

// StartedTable names the table whose rows have workflows.
type StartedTable string

// The tables.
const (
	StartedSubscriptions StartedTable = "subscriptions"
	StartedTransactions  StartedTable = "transactions"
	StartedEndpoints     StartedTable = "webhook_endpoints"
	StartedSenders       StartedTable = "email_senders"
	StartedErasures      StartedTable = "erasures"
)

// Epoch is the present one.
func (r Reader) Epoch(ctx context.Context) (int64, error) {
	epoch, err := core.Queries.EpochGet(ctx, r.Handle)
	return epoch, core.Translate("EpochGet", err)
}

// UnstartedSubscriptions lists unfinished subscriptions whose workflow was not started in this epoch, those of the
// oldest epoch first.
func (r Reader) UnstartedSubscriptions(ctx context.Context, epoch int64, limit int) ([]core.Ref, error) {
	found, err := core.Queries.SubscriptionListUnstarted(ctx, r.Lists(), dbsqlc.SubscriptionListUnstartedParams{
		Epoch: epoch, RowLimit: core.RowLimit(limit),
	})
	return core.Map(found, func(f dbsqlc.SubscriptionListUnstartedRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("SubscriptionListUnstarted", err)
}

// UnstartedTransactions lists pending transactions without a subscription's workflow whose own was not started in this
// epoch, the oldest first.
func (r Reader) UnstartedTransactions(ctx context.Context, epoch int64, limit int) ([]core.Ref, error) {
	found, err := core.Queries.TransactionListUnstarted(ctx, r.Lists(), dbsqlc.TransactionListUnstartedParams{
		Epoch: epoch, RowLimit: limit,
	})
	return core.Map(found, func(f dbsqlc.TransactionListUnstartedRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("TransactionListUnstarted", err)
}

// WakePendingPayments lists payments with their own workflow to which a decision was to be signaled before a time, the
// oldest first.
func (r Reader) WakePendingPayments(ctx context.Context, before time.Time, limit int) ([]core.Ref, error) {
	found, err := core.Queries.TransactionListWakePending(ctx, r.Lists(), dbsqlc.TransactionListWakePendingParams{
		Before: &before, RowLimit: core.RowLimit(limit),
	})
	return core.Map(found, func(f dbsqlc.TransactionListWakePendingRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("TransactionListWakePending", err)
}

// ClearPaymentsWakePending takes the marks off that were there before then.
func (tx *Tx) ClearPaymentsWakePending(ctx context.Context, told []core.Ref, before time.Time) error {
	params := dbsqlc.TransactionClearWakePendingParams{Before: &before}
	for _, r := range told {
		params.EnvironmentIds, params.Ids = append(params.EnvironmentIds, r.EnvironmentID), append(params.Ids, r.ID)
	}
	return core.Queries.TransactionClearWakePending(ctx, tx.Pipe, params)
}

// WakePayment has the workflow of a payment without a subscription check it after the commit, even if Temporal is not
// available then.
func (tx *Tx) WakePayment(ctx context.Context, environmentID, id string) error {
	tx.AfterCommit(core.CheckTransaction{EnvironmentID: environmentID, ID: id})
	return core.Queries.TransactionSetWakePending(ctx, tx.Pipe, dbsqlc.TransactionSetWakePendingParams{
		EnvironmentID: environmentID, ID: id, WakePendingSince: &tx.Real,
	})
}

// BusyClocks lists test clocks that are advancing, the oldest first.
func (r Reader) BusyClocks(ctx context.Context, limit int) ([]core.Ref, error) {
	found, err := core.Queries.TestClockListAdvancing(ctx, r.Lists(), core.RowLimit(limit))
	return core.Map(found, func(f dbsqlc.TestClockListAdvancingRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("TestClockListAdvancing", err)
}

// WakePendingBefore lists subscriptions whose workflow was to be woken before a time and has not acted, those of each
// environment in turn.
func (r Reader) WakePendingBefore(ctx context.Context, before time.Time, limit int) ([]core.Ref, error) {
	found, err := core.Queries.SubscriptionListWakePending(ctx, r.Lists(), dbsqlc.SubscriptionListWakePendingParams{
		Before: &before, RowLimit: limit,
	})
	return core.Map(found, func(f dbsqlc.SubscriptionListWakePendingRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("SubscriptionListWakePending", err)
}

// OpenCallbacksBefore lists transactions with an unprocessed callback received before a time, each once, those of each
// provider configuration in turn.
func (r Reader) OpenCallbacksBefore(ctx context.Context, before time.Time, limit int) ([]payments.TransactionRef,
	error) {
	found, err := core.Queries.CallbackListOpen(ctx, r.Lists(),
		dbsqlc.CallbackListOpenParams{Before: before, RowLimit: limit})
	return core.Map(found, func(f dbsqlc.CallbackListOpenRow) payments.TransactionRef {
		return payments.RefOf(dbsqlc.TransactionListOverdueRow(f))
	}), core.Translate("CallbackListOpen", err)
}

// OverdueChecks lists pending transactions whose first send, or next look-up, was due before a time: those of each
// provider configuration in turn, and, without a configuration, of each environment; the latest first.
func (r Reader) OverdueChecks(ctx context.Context, before time.Time, limit int) ([]payments.TransactionRef, error) {
	found, err := core.Queries.TransactionListOverdue(ctx, r.Lists(), dbsqlc.TransactionListOverdueParams{
		Before: &before, RowLimit: limit,
	})
	return core.Map(found, payments.RefOf), core.Translate("TransactionListOverdue", err)
}

// KeptReturns lists pending transactions whose payer came back before one time with what completes the charge, and
// no provider was given it, however far away their next check is; not those whose check was due before the other
// time, which OverdueChecks lists. At most the latest ones, and ever more rarely those whose account is asked in
// vain. Global.
func (r Reader) KeptReturns(ctx context.Context, before, overdue time.Time, limit int) ([]payments.TransactionRef,
	error) {
	found, err := core.Queries.TransactionListBrought(ctx, r.Lists(), dbsqlc.TransactionListBroughtParams{
		Before: &before, Overdue: &overdue, RowLimit: core.RowLimit(limit),
	})
	return core.Map(found, func(f dbsqlc.TransactionListBroughtRow) payments.TransactionRef {
		return payments.RefOf(dbsqlc.TransactionListOverdueRow(f))
	}), core.Translate("TransactionListBrought", err)
}

// SilentProbes lists one payment of each provider account that has left everything unanswered since before then: one
// whose own last exchange was not answered, to find out whether the account answers again.
func (r Reader) SilentProbes(ctx context.Context, now, before time.Time, limit int) ([]payments.TransactionRef, error) {
	found, err := core.Queries.TransactionListProbes(ctx, r.Lists(), dbsqlc.TransactionListProbesParams{
		Now: &now, Before: &before, RowLimit: core.RowLimit(limit),
	})
	return core.Map(found, func(f dbsqlc.TransactionListProbesRow) payments.TransactionRef {
		return payments.RefOf(dbsqlc.TransactionListOverdueRow(f))
	}), core.Translate("TransactionListProbes", err)
}

// ReleaseUnanswered makes payments due whose exchanges an account left unanswered, if it answers again, and lists them:
// each once for each unanswered exchange. more: an account may have more of them than its share of the limit. Global.
func (tx *Tx) ReleaseUnanswered(ctx context.Context, limit int) (released []payments.TransactionRef, more bool,
	err error) {
	found, err := core.Queries.TransactionReleaseUnanswered(ctx, tx.Pipe,
		dbsqlc.TransactionReleaseUnansweredParams{
			RowLimit: limit, Now: &tx.Real, OutageSeconds: routing.Outage.Seconds(), RestShare: routing.RestShare,
		})
	return core.Map(found, func(f dbsqlc.TransactionReleaseUnansweredRow) payments.TransactionRef {
		more = more || f.Whole
		return payments.ReleasedRef(dbsqlc.TransactionReleaseRow{
			EnvironmentID: f.EnvironmentID, ID: f.ID, Type: f.Type, SubscriptionID: f.SubscriptionID, FinishedAt: f.FinishedAt,
		})
	}), more, core.Translate("TransactionReleaseUnanswered", err)
}

// EndRecoveries notes of the accounts that answer again since before then that their payments have been woken. Global.
func (tx *Tx) EndRecoveries(ctx context.Context, before time.Time) error {
	return core.Queries.BreakerEndRecovery(ctx, tx.Pipe, before)
}

// LateSubscriptions lists subscriptions in real time whose next action was due before a time, those of each environment
// in turn, the latest first.
func (r Reader) LateSubscriptions(ctx context.Context, before time.Time, limit int) ([]core.Ref, error) {
	found, err := core.Queries.SubscriptionListLate(ctx, r.Lists(),
		dbsqlc.SubscriptionListLateParams{Before: &before, RowLimit: limit})
	return core.Map(found, func(f dbsqlc.SubscriptionListLateRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("SubscriptionListLate", err)
}

// OverlookedSubscriptions lists subscriptions in real time with a date before a time that is not their next action,
// whichever build wrote that; those of each environment in turn.
func (r Reader) OverlookedSubscriptions(ctx context.Context, before time.Time, limit int) ([]core.Ref, error) {
	found, err := core.Queries.SubscriptionListOverlooked(ctx, r.Lists(), dbsqlc.SubscriptionListOverlookedParams{
		Before: before, RowLimit: limit,
	})
	return core.Map(found, func(f dbsqlc.SubscriptionListOverlookedRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("SubscriptionListOverlooked", err)
}

// UnstartedEndpoints lists enabled webhook endpoints whose workflow was not started in this epoch.
func (r Reader) UnstartedEndpoints(ctx context.Context, epoch int64, limit int) ([]core.Ref, error) {
	found, err := core.Queries.WebhookEndpointListUnstarted(ctx, r.Lists(), dbsqlc.WebhookEndpointListUnstartedParams{
		Epoch: epoch, RowLimit: core.RowLimit(limit),
	})
	return core.Map(found, func(f dbsqlc.WebhookEndpointListUnstartedRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("WebhookEndpointListUnstarted", err)
}

// AsleepEndpoints lists webhook endpoints that were to be woken before one time, or had something to do before the
// other, the longest waiting first.
func (r Reader) AsleepEndpoints(ctx context.Context, wokenBefore, dueBefore time.Time, limit int) ([]core.Ref, error) {
	found, err := core.Queries.WebhookEndpointListAsleep(ctx, r.Lists(), dbsqlc.WebhookEndpointListAsleepParams{
		WakeBefore: &wokenBefore, DueBefore: &dueBefore, RowLimit: limit,
	})
	return core.Map(found, func(f dbsqlc.WebhookEndpointListAsleepRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("WebhookEndpointListAsleep", err)
}

// UnstartedSenders lists senders of mail whose workflow was not started in this epoch.
func (r Reader) UnstartedSenders(ctx context.Context, epoch int64, limit int) ([]core.Ref, error) {
	found, err := core.Queries.EmailSenderListUnstarted(ctx, r.Lists(), dbsqlc.EmailSenderListUnstartedParams{
		Epoch: epoch, RowLimit: core.RowLimit(limit),
	})
	return core.Map(found, func(f dbsqlc.EmailSenderListUnstartedRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("EmailSenderListUnstarted", err)
}

// AsleepSenders lists senders of mail that were to be woken before one time, or had something to do before the other.
func (r Reader) AsleepSenders(ctx context.Context, wokenBefore, dueBefore time.Time, limit int) ([]core.Ref, error) {
	found, err := core.Queries.EmailSenderListAsleep(ctx, r.Lists(), dbsqlc.EmailSenderListAsleepParams{
		WakeBefore: &wokenBefore, DueBefore: &dueBefore, RowLimit: limit,
	})
	return core.Map(found, func(f dbsqlc.EmailSenderListAsleepRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("EmailSenderListAsleep", err)
}

// SetStarted notes that the workflows of these rows were started in an epoch.
func (tx *Tx) SetStarted(ctx context.Context, table StartedTable, epoch int64, started []core.Ref) error {
	environmentIDs, ids := make([]string, len(started)), make([]string, len(started))
	for i, ref := range started {
		environmentIDs[i], ids[i] = ref.EnvironmentID, ref.ID
	}
	in := dbsqlc.SubscriptionSetStartedParams{Epoch: epoch, EnvironmentIds: environmentIDs, Ids: ids}
	switch table {
	case StartedTransactions:
		return core.Queries.TransactionSetStarted(ctx, tx.Pipe, dbsqlc.TransactionSetStartedParams(in))
	case StartedErasures:
		return core.Queries.ErasureSetStarted(ctx, tx.Pipe, dbsqlc.ErasureSetStartedParams(in))
	case StartedEndpoints:
		return core.Queries.WebhookEndpointSetStarted(ctx, tx.Pipe, dbsqlc.WebhookEndpointSetStartedParams(in))
	case StartedSenders:
		return core.Queries.EmailSenderSetStarted(ctx, tx.Pipe, dbsqlc.EmailSenderSetStartedParams(in))
	default:
		return core.Queries.SubscriptionSetStarted(ctx, tx.Pipe, in)
	}
}

// IncrementEpoch begins a new one: whatever was started before is started again.
func (tx *Tx) IncrementEpoch(ctx context.Context) (int64, error) {
	epoch, err := core.Queries.EpochIncrement(ctx, tx.Pipe)
	return epoch, core.Translate("EpochIncrement", err)
}

package usage

import (
	"context"
	"time"

	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Log stores usage in this database: records, keys and aggregates.
type Log struct {
	store *core.Store
	reads core.Reader
	// within: reads is the connection of a transaction, which runs one statement at a time.
	within bool
}

// NewLog returns the usage of a store.
func NewLog(s *core.Store) *Log { return &Log{store: s, reads: s.Reads()} }

// Within returns the same usage with reads on another connection: a transaction must not wait for a second one.
func (l *Log) Within(r core.Reader) Port { return &Log{l.store, r, true} }

// usageAuditsItself is the reason that the audit log has no entries about usage.
const usageAuditsItself = "usage records are never changed, name their own key, and come by the thousand"

// RecordUsage is Insert in a separate transaction: one round trip.
func (l *Log) RecordUsage(
	ctx context.Context, by core.Actor, environmentID string, now time.Time, records []NewUsage,
) ([]Taken, error) {
	results := make([]Taken, len(records))
	err := l.store.InTx(ctx, by, now, func(begun *core.Tx) error {
		tx := On(begun)
		tx.AuditNothing(usageAuditsItself)
		return tx.Insert(ctx, environmentID, records, results)
	})
	return results, err
}

// Correction decides about a correction: see usage.Correct.
type Correction func(
	original usage.Record, corrected money.Decimal, of usage.Metric, correction usage.Record,
) (usage.Record, error)

// CorrectUsage writes a correction of the record that its Corrects names by key. Faults: those of Tx.LockRecord
// and of decide.
func (l *Log) CorrectUsage(
	ctx context.Context, by core.Actor, environmentID string, now time.Time, correction NewUsage, decide Correction,
) (Taken, error) {
	results := make([]Taken, 1)
	err := l.store.InTx(ctx, by, now, func(begun *core.Tx) error {
		tx := On(begun)
		tx.AuditNothing(usageAuditsItself)
		original, of, corrected, err := tx.LockRecord(ctx, environmentID, correction.SubscriptionID, correction.Metric,
			correction.Corrects)
		if err != nil {
			return err
		}
		if correction.Record, err = decide(original, corrected, of, correction.Record); err != nil {
			return err
		}
		return tx.Insert(ctx, environmentID, []NewUsage{correction}, results)
	})
	return results[0], err
}

// Behind is Reader.Behind.
func (l *Log) Behind(ctx context.Context, limit int) ([]core.Ref, error) {
	return Reader{l.reads}.Behind(ctx, limit)
}

// RollUp is Tx.RollUp in a separate transaction.
func (l *Log) RollUp(
	ctx context.Context, by core.Actor, now time.Time, version core.Ref, limit int,
) (n int, err error) {
	err = l.store.InTx(ctx, by, now, func(begun *core.Tx) (err error) {
		tx := On(begun)
		n, err = tx.RollUp(ctx, version, limit)
		return err
	})
	return n, err
}

// Subscriptions is Reader.Subscriptions.
func (l *Log) Subscriptions(ctx context.Context, version core.Ref, after string, limit int) ([]string, error) {
	return Reader{l.reads}.Subscriptions(ctx, version, after, limit)
}

// Rebuild is Tx.Rebuild in a separate transaction. The audit log has the replacements.
func (l *Log) Rebuild(
	ctx context.Context, by core.Actor, now time.Time, version core.Ref, subscriptionID string, dry bool,
) (found RebuiltUsage, err error) {
	err = l.store.InTx(ctx, by, now, func(begun *core.Tx) (err error) {
		tx := On(begun)
		tx.Audit(version.EnvironmentID)
		tx.AuditObject(subscriptionID)
		if found, err = tx.Rebuild(ctx, version, subscriptionID, dry); dry || found.Different == 0 {
			tx.AuditNothing("it replaced nothing")
		}
		return err
	})
	return found, err
}

// Erase is Tx.Erase in a separate transaction.
func (l *Log) Erase(
	ctx context.Context, by core.Actor, now time.Time, environmentID, customerID, after string,
) (mark string, more bool, err error) {
	err = l.store.InTx(ctx, by, now, func(begun *core.Tx) (err error) {
		tx := On(begun)
		mark, more, err = tx.Erase(ctx, environmentID, customerID, after)
		return err
	})
	return mark, more, err
}

// Records are kept for more than a year, in monthly partitions. Those of half a year ahead are created, so that records
// are accepted even if no pass runs for months.
const (
	usageKeepDays    = 400
	usageMonthsAhead = 6
)

// MonthsReady is the number of months ahead for which checks require partitions: fewer than are created, so that there
// is time to act.
const MonthsReady = 2

// MonthReady reports whether the partition exists for the month that is this many months ahead. Global.
func (r Reader) MonthReady(ctx context.Context, months int) (bool, error) {
	ready, err := core.Queries.UsageMonthReady(ctx, r.Handle, months)
	return ready, core.Translate("UsageMonthReady", err)
}

// Maintain creates the partitions of the months ahead and drops those whose records are all too old; a partition in use
// is dropped by a later call. It removes abandoned pages of counts. Global: retention.
func (l *Log) Maintain(ctx context.Context, by core.Actor, now time.Time) error {
	return l.store.InTx(ctx, by, now, func(tx *core.Tx) error {
		if err := core.Queries.UsagePagesPurge(ctx, tx.Pipe, pagesKeptDays); err != nil {
			return err
		}
		_, err := core.Queries.UsageMaintain(ctx, tx.Pipe,
			dbsqlc.UsageMaintainParams{Ahead: usageMonthsAhead, KeepDays: usageKeepDays})
		return core.Translate("UsageMaintain", err)
	})
}

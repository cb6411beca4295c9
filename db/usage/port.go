package usage

import (
	"context"
	"time"

	"perennial/billing/metered"
	"perennial/billing/usage"
	"perennial/db/core"
)

// Port keeps usage records and counts them. Log is the one in this database; an engine for more records than one
// PostgreSQL takes would be another (ADR 55). servicetest.HoldsUsage tests what a store must hold. Metrics,
// subscriptions and what usage has reached are rows of this database, whatever the store.
type Port interface {
	// RecordUsage judges records and writes those that pass and whose key was never used, also by one before it, all in
	// one transaction and one round trip.
	RecordUsage(ctx context.Context, by core.Actor, environmentID string, now time.Time, records []NewUsage) (
		[]Taken, error)
	// CorrectUsage writes a correction, which decide makes of the record that it corrects, under the lock of that record.
	CorrectUsage(ctx context.Context, by core.Actor, environmentID string, now time.Time, correction NewUsage,
		decide Correction) (Taken, error)
	// UsageKeys reads what is known of keys, for ever; those never used are absent.
	UsageKeys(ctx context.Context, environmentID string, keys []string) (map[string]Key, error)

	// UsageSeries reads what the records of a subscription come to in each of some periods, which are in the order of
	// time and do not overlap, grouped by some of the metric's dimensions.
	UsageSeries(ctx context.Context, environmentID, subscriptionID string, of usage.Metric, periods []usage.Span,
		by []string) ([]usage.Totals, error)
	// MeteredSegments counts what a subscription used in each of its spans from one on, as metered prices divide it.
	// Spans before that one count for cumulated prices.
	MeteredSegments(ctx context.Context, environmentID, subscriptionID string, spans []metered.Span, from int,
		by Counting) ([]metered.Segment, error)
	// AwaitRecords waits until each transaction that began to write records of the environment before the call has ended.
	AwaitRecords(ctx context.Context, environmentID string, beat func()) error
	// Within returns the same usage, read on the caller's connection if it is in the caller's database: a transaction must
	// not wait for a second one.
	Within(r core.Reader) Port

	// Behind lists metric versions with records that are not merged into aggregates, at most limit. Global.
	Behind(ctx context.Context, limit int) ([]core.Ref, error)
	// RollUp merges the next records of a metric, at most limit, into the aggregates of one of its versions, each record
	// once, and returns how many there were. It does nothing while another process does it.
	RollUp(ctx context.Context, by core.Actor, now time.Time, version core.Ref, limit int) (int, error)

	// Subscriptions lists subscriptions that have usage of a metric version, in the order of their ids behind one. Those
	// of erased customers are left out.
	Subscriptions(ctx context.Context, version core.Ref, after string, limit int) ([]string, error)
	// Rebuild counts all records of a subscription again that are in the aggregates of a metric version, and compares.
	// Aggregates that differ are replaced, unless dry.
	Rebuild(ctx context.Context, by core.Actor, now time.Time, version core.Ref, subscriptionID string, dry bool) (
		RebuiltUsage, error)

	// Erase removes the properties of the next records of an erased customer, behind the mark that an earlier call
	// returned, and returns the mark of what is handled now and whether there may be more. Quantities stay. To repeat a
	// call does no harm.
	Erase(ctx context.Context, by core.Actor, now time.Time, environmentID, customerID, after string) (
		mark string, more bool, err error)
	// Maintain makes room for the records of the months ahead and forgets those that are too old to keep. Global.
	Maintain(ctx context.Context, by core.Actor, now time.Time) error
}

var _ Port = (*Log)(nil)

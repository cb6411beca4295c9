package usage

import (
	"context"
	"time"

	"perennial/billing/metered"
	"perennial/billing/usage"
	"perennial/db/core"
)

// Port stores and counts usage records. Log is the store in this database; an engine for more records than one
// PostgreSQL can take would be another (ADR 55). servicetest.HoldsUsage tests a store. Metrics, subscriptions and
// crossings are rows of this database, with any store.
type Port interface {
	// RecordUsage validates records and writes the accepted ones whose key was never used, also not by an earlier one of
	// them, in one transaction and one round trip.
	RecordUsage(ctx context.Context, by core.Actor, environmentID string, now time.Time, records []NewUsage) (
		[]Taken, error)
	// CorrectUsage writes a correction, which decide computes from the corrected record, under the lock of that record.
	CorrectUsage(ctx context.Context, by core.Actor, environmentID string, now time.Time, correction NewUsage,
		decide Correction) (Taken, error)
	// UsageKeys reads the records of keys, which are kept permanently; unused keys are absent.
	UsageKeys(ctx context.Context, environmentID string, keys []string) (map[string]Key, error)

	// UsageSeries reads the totals of a subscription's records for each of some periods, which are in the order of time
	// and do not overlap, grouped by some of the metric's dimensions.
	UsageSeries(ctx context.Context, environmentID, subscriptionID string, of usage.Metric, periods []usage.Span,
		by []string) ([]usage.Totals, error)
	// MeteredSegments counts a subscription's usage in each of its spans from one on, by their metered prices. Earlier
	// spans count for cumulated prices.
	MeteredSegments(ctx context.Context, environmentID, subscriptionID string, spans []metered.Span, from int,
		by Counting) ([]metered.Segment, error)
	// AwaitRecords waits until all transactions that began to write records of the environment before the call have ended.
	AwaitRecords(ctx context.Context, environmentID string, beat func()) error
	// Within returns the same usage with reads on the caller's connection, if it is in the caller's database: a
	// transaction must not wait for a second one.
	Within(r core.Reader) Port

	// Behind lists metric versions with records that are not merged into aggregates, at most limit. Global.
	Behind(ctx context.Context, limit int) ([]core.Ref, error)
	// RollUp merges the next records of a metric, at most limit, into the aggregates of one of its versions, each record
	// once, and returns their number. It does nothing while another process does it.
	RollUp(ctx context.Context, by core.Actor, now time.Time, version core.Ref, limit int) (int, error)

	// Subscriptions lists subscriptions with usage of a metric version, in the order of their ids after one, without those
	// of erased customers.
	Subscriptions(ctx context.Context, version core.Ref, after string, limit int) ([]string, error)
	// Rebuild recounts all records of a subscription that are in the aggregates of a metric version, and compares. It
	// replaces different aggregates, unless dry.
	Rebuild(ctx context.Context, by core.Actor, now time.Time, version core.Ref, subscriptionID string, dry bool) (
		RebuiltUsage, error)

	// Erase removes the properties of the next records of an erased customer, after the mark that an earlier call
	// returned. It returns the new mark and whether there may be more. Quantities stay. A call may be repeated.
	Erase(ctx context.Context, by core.Actor, now time.Time, environmentID, customerID, after string) (
		mark string, more bool, err error)
	// Maintain creates partitions for the months ahead and drops those that are too old. Global.
	Maintain(ctx context.Context, by core.Actor, now time.Time) error
}

var _ Port = (*Log)(nil)

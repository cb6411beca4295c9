package usage

import (
	"context"
	"time"

	"perennial/billing/metered"
	"perennial/billing/usage"
	"perennial/db"
)

// Log keeps usage records and sums them. PostgreSQL is behind it (db.NewUsageLog); an engine for
// more records than one PostgreSQL takes would be another (ADR 55).
type Log interface {
	// RecordUsage judges records and writes those that pass and whose key was never used, also by one before it, all in
	// one transaction and one round trip.
	RecordUsage(ctx context.Context, by db.Actor, environmentID string, now time.Time, records []db.NewUsage) (
		[]db.UsageTaken, error)
	// CorrectUsage writes a correction, which decide makes of the record that it corrects, under the lock of that record.
	CorrectUsage(ctx context.Context, by db.Actor, environmentID string, now time.Time, correction db.NewUsage,
		decide db.Correction) (db.UsageTaken, error)
	// UsageKeys reads what is known of keys, for ever; those never used are absent.
	UsageKeys(ctx context.Context, environmentID string, keys []string) (map[string]db.UsageKey, error)
	// UsageSeries reads what the records of a subscription come to in each of some periods, which are in the order of
	// time and do not overlap, grouped by some of the metric's dimensions.
	UsageSeries(ctx context.Context, environmentID, subscriptionID string, of usage.Metric, periods []usage.Span,
		by []string) ([]usage.Totals, error)
	// MeteredSegments counts what a subscription used in each of its spans from one on, as metered prices divide it.
	// Spans before that one count for cumulated prices.
	MeteredSegments(ctx context.Context, environmentID, subscriptionID string, spans []metered.Span, from int,
		by db.UsageCounting) ([]metered.Segment, error)
}

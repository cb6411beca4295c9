package usecase

import (
	"context"
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/db"
)

// countTime bounds the count of usage for one command.
const countTime = 5 * time.Second

// CountUnbilled counts the usage that the next invoices of a subscription bill, without a lock: a command that depends
// on it must not hold the lock while records are counted. It returns nothing if no coupon reduces that usage, and if
// the usage cannot be counted, or not in time: the rules know what to do without, and a person must get past usage that
// cannot be rated. Errors are of the database and of ctx alone.
func CountUnbilled(
	ctx context.Context, store *db.Store, environmentID, subscriptionID string,
) (counted []lifecycle.CountedSegment, err error) {
	within, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			counted, err = nil, nil
		}
	}()
	counted, err = countUnbilled(within, store, environmentID, subscriptionID)
	if err != nil && within.Err() == nil && fault.From(err).Kind == fault.Unavailable {
		return nil, err
	}
	return counted, ctx.Err()
}

func countUnbilled(
	ctx context.Context, store *db.Store, environmentID, subscriptionID string,
) ([]lifecycle.CountedSegment, error) {
	all, from, err := store.Subscriptions.UnbilledSegments(ctx, environmentID, subscriptionID)
	if err != nil || !slices.ContainsFunc(all[from:], func(s metering.Segment) bool { return len(s.Reduced()) > 0 }) {
		return nil, err
	}
	of, err := store.Subscriptions.Get(ctx, environmentID, subscriptionID)
	if err != nil {
		return nil, err
	}
	versions, err := store.Catalog.VersionsOf(ctx, environmentID, metering.Versions(all))
	if err != nil {
		return nil, err
	}
	priced, err := metering.Price(all, versions, of.Currency)
	if err != nil {
		return nil, err
	}
	spans := make([]metered.Span, len(all))
	for i, s := range priced {
		spans[i] = s.Span(of)
	}
	used, err := store.UsageLog().MeteredSegments(ctx, environmentID, subscriptionID, spans, from, db.UsageCounting{})
	if err != nil {
		return nil, err
	}
	counted := make([]lifecycle.CountedSegment, len(used))
	for i := range used {
		counted[i] = lifecycle.CountedSegment{Priced: priced[from+i], Used: used[i]}
	}
	return counted, nil
}

// unbilled reads, under lock, the segments of the usage that the next invoices bill, and what invoices bill of them.
func unbilled(
	ctx context.Context, tx *db.Tx, environmentID, subscriptionID string, to *lifecycle.UnbilledUsage,
) error {
	all, from, err := tx.Subscriptions.UnbilledSegments(ctx, environmentID, subscriptionID)
	if to.Segments = all[from:]; err != nil || len(to.Segments) == 0 {
		return err
	}
	to.Billed, to.Kept, err = tx.Lifecycle.UsageBilled(ctx, environmentID, subscriptionID, to.Segments[0].Start)
	return err
}

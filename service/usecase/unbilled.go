package usecase

import (
	"context"
	"slices"
	"time"

	"perennial/billing/costing"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/metering"
	"perennial/billing/subscription"
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
) (counted []costing.Accruing, err error) {
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
) ([]costing.Accruing, error) {
	all, from, err := store.Subscriptions.UnbilledSegments(ctx, environmentID, subscriptionID)
	if err != nil || !slices.ContainsFunc(all[from:], func(s metering.Segment) bool { return len(s.Reduced()) > 0 }) {
		return nil, err
	}
	of, err := store.Subscriptions.Get(ctx, environmentID, subscriptionID)
	if err != nil {
		return nil, err
	}
	return CountSegments(ctx, store, environmentID, of, all, from)
}

// CountSegments counts the usage of a subscription's segments from one on; earlier ones count for cumulated prices.
// Faults: those of metering.Price.
func CountSegments(
	ctx context.Context, store *db.Store, environmentID string, of subscription.Subscription, all []metering.Segment,
	from int,
) ([]costing.Accruing, error) {
	versions, err := store.Catalog.VersionsOf(ctx, environmentID, metering.Versions(all))
	if err != nil {
		return nil, err
	}
	priced, err := metering.Price(all, versions, of.Currency)
	if err != nil {
		return nil, err
	}
	used, err := store.UsageLog().MeteredSegments(
		ctx, environmentID, of.ID, metering.Spans(priced, of), from, db.UsageCounting{})
	if err != nil {
		return nil, err
	}
	counted := make([]costing.Accruing, len(used))
	for i := range used {
		counted[i] = costing.Accruing{Priced: priced[from+i], Counted: used[i]}
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

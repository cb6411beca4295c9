package subscriptions

import (
	"context"

	"perennial/billing/fault"
	"perennial/billing/foresight"
	"perennial/billing/metering"
	"perennial/billing/subscription"
	"perennial/db"
)

// maxCounts bounds the counts of usage for one foresight: one is enough, unless amounts move dates.
const maxCounts = 3

// foresee calls show, which plays a life forward, with the known usage of its subscription. It then counts the usage of
// the times that the play bills, and calls show again, so that the last call knows all usage. reads is the caller's
// connection. A life without metered prices needs no statement. Faults: those of show.
func (s *Service) foresee(
	ctx context.Context, environmentID string, reads db.Reader, sub subscription.Subscription,
	show func(known *foresight.Usage) error,
) error {
	known, err := knownUsage(ctx, environmentID, reads, sub)
	if err != nil {
		return err
	}
	for range maxCounts {
		if err := show(known); err != nil {
			return err
		}
		spans, from, missing := known.Missing()
		if !missing {
			return nil
		}
		used, err := s.Store.UsageLog().Within(reads.Reader).
			MeteredSegments(ctx, environmentID, sub.ID, spans, from, db.UsageCounting{})
		if err != nil {
			return err
		}
		known.Count(used)
	}
	return fault.New(fault.Internal, "foresight_unsettled",
		"What subscription %s will be billed for usage could not be foreseen.", sub.ID)
}

// knownUsage reads the known usage of a subscription, without quantities.
func knownUsage(
	ctx context.Context, environmentID string, reads db.Reader, sub subscription.Subscription,
) (*foresight.Usage, error) {
	if sub.MeteredSince.IsZero() && sub.LateUsageUntil.IsZero() {
		return &foresight.Usage{}, nil
	}
	closed, err := reads.Subscriptions.AllSegments(ctx, environmentID, sub.ID)
	if err != nil || len(closed) == 0 {
		return &foresight.Usage{}, err
	}
	known := foresight.Usage{Closed: closed}
	if known.Plans, err = reads.Catalog.VersionsOf(ctx, environmentID, metering.Versions(closed)); err != nil {
		return nil, err
	}
	for i, on := range known.Plans {
		if known.Plans[i], err = on.In(sub.Currency); err != nil {
			return nil, err
		}
	}
	if known.BilledUntil, err = reads.Subscriptions.UsageBilledUntil(ctx, environmentID, sub.ID); err != nil {
		return nil, err
	}
	from := closed[0].Start
	if i := metering.Window(closed, known.BilledUntil); i > 0 { // later ones are billed in full, or may be
		from = closed[i-1].End
	}
	if known.Billed, err = reads.Subscriptions.UsageBilled(ctx, environmentID, sub.ID, from); err != nil {
		return nil, err
	}
	known.Kept, err = reads.Invoices.UsageLines(ctx, environmentID, sub.ID, from)
	return &known, err
}

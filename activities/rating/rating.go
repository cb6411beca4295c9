// Package rating has the activity that rates usage: it counts what a subscription used in the segments that an
// invoice bills, asks the rules what of it is owed and not billed, and issues the invoice with that (ADR 58). It does
// not decide what usage costs (billing/metered) nor when it is billed (billing/metering).
package rating

import (
	"context"
	"errors"

	"perennial/activities/execution"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/contract"
	"perennial/db"
)

// Usage is the activity with what it needs.
type Usage struct {
	Store    *db.Store
	Clock    execution.Clock
	Observer execution.Observer
}

// maxDrafts bounds the drafts that one call issues: a subscription that was long without a worker has several.
const maxDrafts = 12

// BillUsage issues each draft that waits for its usage and is due, and then does what else is due. It may be repeated:
// what is billed is not billed again.
func (u *Usage) BillUsage(ctx context.Context, in contract.AdvanceInput) (contract.Snapshot, error) {
	var out contract.Snapshot
	for range maxDrafts {
		seen, err := u.Store.SubscriptionState(ctx, in.Ref.EnvironmentID, in.Ref.ID)
		if errors.Is(err, db.ErrSubscriptionNotFound) {
			u.Observer.RowAbsent(ctx, execution.RowAbsent{Kind: execution.KindSubscription, Ref: in.Ref})
			return contract.Snapshot{Absent: true}, nil
		}
		if err != nil {
			return contract.Snapshot{}, err
		}
		draft, due := seen.UsageDraft(in.Now)
		var counted counted
		if due {
			if counted, err = u.count(ctx, in.Ref, seen.Subscription.Currency, draft); err != nil {
				return contract.Snapshot{}, err
			}
		}
		if out, err = u.issue(ctx, in, counted); err != nil || !due {
			return out, err
		}
	}
	out.Unfinished = true
	return out, nil
}

// counted is what the segments of a draft come to; the zero value bills nothing.
type counted struct {
	draftID  string
	rated    []metering.Segment
	on       []plan.Plan
	segments []metered.Segment
}

// count counts usage, without a lock: what is recorded meanwhile is on a later invoice.
func (u *Usage) count(
	ctx context.Context, ref contract.Ref, currency money.Currency, draft invoice.Invoice,
) (counted, error) {
	all, from, err := u.Store.Subscriptions.Segments(ctx, ref.EnvironmentID, ref.ID, draft.UsageUntil)
	if err != nil {
		return counted{}, err
	}
	c := counted{draftID: draft.ID, rated: all[from:]}
	known := map[plan.Ref]plan.Plan{}
	spans := make([]metered.Span, len(all))
	for i, s := range all {
		on, loaded := known[s.Plan]
		if !loaded {
			if on, err = u.Store.Catalog.PlanVersion(ctx, ref.EnvironmentID, s.Plan); err != nil {
				return counted{}, err
			}
			if on, err = on.In(currency); err != nil {
				return counted{}, err
			}
			known[s.Plan] = on
		}
		spans[i] = metered.Span{
			Start: s.Start, End: s.End, Share: s.Share, PeriodLength: s.PeriodLength, Prices: on.Metered,
		}
		if i >= from {
			c.on = append(c.on, on)
		}
	}
	beat := func() { execution.Heartbeat(ctx) }
	c.segments, err = db.NewUsageLog(u.Store).MeteredSegments(ctx, ref.EnvironmentID, ref.ID, spans, from, beat)
	return c, err
}

// issue issues the draft with what is owed and not billed, and does what else is due.
func (u *Usage) issue(ctx context.Context, in contract.AdvanceInput, c counted) (contract.Snapshot, error) {
	var out contract.Snapshot
	env := in.Ref.EnvironmentID
	err := execution.InTx(ctx, u.Store, in.Now, func(tx *db.Tx) error {
		found, err := tx.Lifecycle.LockSubscription(ctx, env, in.Ref.ID)
		if err != nil {
			return err
		}
		rated := lifecycle.UsageRated{InvoiceID: c.draftID}
		if len(c.rated) > 0 {
			billed, err := tx.Lifecycle.UsageBilled(ctx, env, in.Ref.ID, c.rated[0].Start)
			if err != nil {
				return err
			}
			kept, err := tx.Lifecycle.UsageKept(ctx, env, in.Ref.ID, c.rated[0].Start)
			if err != nil {
				return err
			}
			rated.Segments, err = lifecycle.RateUsage(c.rated, c.on, c.segments, billed, kept, found.Subscription.Currency)
			if err != nil {
				return err
			}
		}
		state, changes, err := lifecycle.BillUsage(found, rated, db.Moment(in.Now, u.Clock()))
		if err != nil {
			return err
		}
		if err := tx.Lifecycle.Write(ctx, env, state, changes); err != nil {
			return err
		}
		if err := tx.ClearWakePending(ctx, env, state); err != nil {
			return err
		}
		out = contract.SnapshotOf(state, changes.Unfinished)
		return nil
	})
	return out, err
}

// Package rating has the activity that rates usage: it counts a subscription's usage in the segments of an invoice,
// computes by the rules the owed and unbilled amount, and issues the invoice with it (ADR 58). billing/metered decides
// the cost of usage, and billing/metering the time of billing.
package rating

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"perennial/activities/execution"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/contract"
	"perennial/db"
)

// Usage is the activity with its dependencies.
type Usage struct {
	Store    *db.Store
	Clock    execution.Clock
	Observer Observer
	// PageRows is the number of rows after which a count is saved, so that it continues there after a crash; 0: 100,000.
	PageRows int
}

// Observer receives the facts of a rating that no result has.
type Observer interface {
	execution.Observer
	// UsageUnrated reports a draft whose usage could not be rated. It is retried; without RetryAt it was issued without a
	// price that cannot be counted.
	UsageUnrated(ctx context.Context, u Unrated)
}

// Unrated is a draft whose usage could not be rated.
type Unrated struct {
	contract.Ref // the subscription
	InvoiceID    string
	Cause        error
	Times        int // in a row
	RetryAt      time.Time
}

// maxDrafts bounds the drafts of one call: a subscription that had no worker for long has several.
const maxDrafts = 12

// BillUsage issues each due draft that waits for its usage, and then performs other due actions. A draft whose usage
// cannot be rated keeps the reason, and is retried later. It may be repeated: billed usage is not billed again. Errors
// are only those of the database and of ctx.
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
		if !due {
			return u.issue(ctx, in, counted{})
		}
		out, err = u.rate(ctx, in, seen, draft)
		if passing(ctx, err) {
			return contract.Snapshot{}, err
		}
		if err != nil {
			if out, err = u.unrated(ctx, in, draft.ID, err); err != nil {
				return contract.Snapshot{}, err
			}
		}
	}
	return out, nil
}

// passing reports whether a repetition may succeed: the database is unavailable, or the activity must end.
func passing(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || fault.From(err).Kind == fault.Unavailable ||
		errors.Is(err, db.ErrUsageBeingWritten))
}

// rate counts the usage of a draft and issues it. A panic of the rules is a fault of this draft: each repetition would
// have it again, and a test clock would never pass it.
func (u *Usage) rate(
	ctx context.Context, in contract.AdvanceInput, seen lifecycle.State, draft invoice.Invoice,
) (out contract.Snapshot, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("rating: panic: %v\n%s", cause, debug.Stack())
		}
	}()
	if err := u.close(ctx, in, seen, draft); err != nil {
		return out, err
	}
	counted, err := u.count(ctx, in, seen, draft)
	if err != nil {
		return out, err
	}
	if out, err = u.issue(ctx, in, counted); err == nil && counted.uncounted != nil {
		u.Observer.UsageUnrated(ctx, Unrated{Ref: in.Ref, InvoiceID: draft.ID, Times: 1, Cause: counted.uncounted})
	}
	return out, err
}

// unrated records in the draft that its usage could not be rated.
func (u *Usage) unrated(
	ctx context.Context, in contract.AdvanceInput, draftID string, cause error,
) (out contract.Snapshot, err error) {
	why := fault.From(cause)
	state, unfinished, err := u.decide(ctx, in, func(
		tx *db.Tx, found lifecycle.State, at lifecycle.Moment,
	) (lifecycle.State, lifecycle.Changes, error) {
		// A person may correct records that are counted already.
		if err := tx.Usage.DropPages(ctx, in.Ref.EnvironmentID, in.Ref.ID); err != nil {
			return found, lifecycle.Changes{}, err
		}
		return lifecycle.UsageUnrated(found, draftID, why.Code, why.Detail, at)
	})
	if err != nil {
		return contract.Snapshot{}, errors.Join(err, cause)
	}
	report := Unrated{Ref: in.Ref, InvoiceID: draftID, Cause: cause}
	for _, draft := range state.Drafts {
		if draft.ID == draftID && draft.UsageFailure != nil {
			report.Times, report.RetryAt = draft.UsageFailure.Times, draft.UsageFailure.RetryAt
		}
	}
	u.Observer.UsageUnrated(ctx, report)
	return contract.SnapshotOf(state, unfinished), nil
}

// decide makes and writes a decision about the subscription.
func (u *Usage) decide(
	ctx context.Context, in contract.AdvanceInput,
	rule func(*db.Tx, lifecycle.State, lifecycle.Moment) (lifecycle.State, lifecycle.Changes, error),
) (state lifecycle.State, unfinished bool, err error) {
	err = execution.InTx(ctx, u.Store, in.Now, func(tx *db.Tx) error {
		found, err := tx.Lifecycle.LockSubscription(ctx, in.Ref.EnvironmentID, in.Ref.ID)
		if err != nil {
			return err
		}
		var changes lifecycle.Changes
		if state, changes, err = rule(tx, found, db.Moment(in.Now, u.Clock())); err != nil {
			return err
		}
		unfinished = changes.Unfinished
		return tx.Lifecycle.Write(ctx, in.Ref.EnvironmentID, state, changes)
	})
	return state, unfinished, err
}

// close ensures that the count for a draft includes all records that no later invoice would bill: it refuses further
// records of an ended subscription, and then waits for records in progress. After a crash in between, both steps are
// repeated.
func (u *Usage) close(
	ctx context.Context, in contract.AdvanceInput, seen lifecycle.State, draft invoice.Invoice,
) error {
	if seen.ClosesUsage(draft) {
		_, _, err := u.decide(ctx, in, func(
			_ *db.Tx, found lifecycle.State, at lifecycle.Moment,
		) (lifecycle.State, lifecycle.Changes, error) {
			return lifecycle.CloseUsage(found, draft.ID, at)
		})
		if err != nil {
			return err
		}
	}
	if !seen.AwaitsRecords(draft) {
		return nil
	}
	return u.Store.UsageLog().AwaitRecords(ctx, in.Ref.EnvironmentID, func() { execution.Heartbeat(ctx) })
}

// counted is the count of a draft's segments; the zero value bills nothing.
type counted struct {
	draftID  string
	rated    []metering.Priced
	segments []metered.Segment
	// uncounted is why a price could not be counted, which the draft then leaves out; nil: all were counted.
	uncounted error
	// paged: the progress of the count is saved; issuing the draft deletes it.
	paged bool
}

// count counts usage without a lock: a later record is on a later invoice, or refused: see close.
func (u *Usage) count(
	ctx context.Context, in contract.AdvanceInput, seen lifecycle.State, draft invoice.Invoice,
) (counted, error) {
	ref, of := in.Ref, seen.Subscription
	all, from, err := u.Store.Subscriptions.Segments(ctx, ref.EnvironmentID, ref.ID, draft.UsageUntil)
	if err != nil {
		return counted{}, err
	}
	versions, err := u.Store.Catalog.VersionsOf(ctx, ref.EnvironmentID, metering.Versions(all))
	if err != nil {
		return counted{}, err
	}
	priced, err := metering.Price(all, versions, of.Currency)
	if err != nil {
		return counted{}, err
	}
	c := counted{draftID: draft.ID, rated: priced[from:]}
	spans := metering.Spans(priced, of)
	by := db.UsageCounting{
		For: draft.ID, By: execution.Actor(ctx), Now: in.Now, PageRows: u.PageRows,
		Beat: func(far db.UsageCounted) {
			c.paged = c.paged || far.Paged
			execution.Heartbeat(ctx, far)
		},
	}
	if seen.AwaitsRecords(draft) { // a count from before the wait may lack records of the last invoice
		by.For += " last"
	}
	c.segments, err = u.Store.UsageLog().MeteredSegments(ctx, ref.EnvironmentID, ref.ID, spans, from, by)
	for _, s := range c.segments {
		c.uncounted = cmp.Or(c.uncounted, s.Uncounted())
	}
	if err == nil && metering.BillsEnd(of, draft.UsageUntil) {
		return c, c.uncounted // no later invoice would bill it: a person decides
	}
	return c, err
}

// issue issues the draft with the owed and unbilled charges, and performs other due actions.
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
			billed, kept, err := tx.Lifecycle.UsageBilled(ctx, env, in.Ref.ID, c.rated[0].Start)
			if err != nil {
				return err
			}
			rated.Segments, err = lifecycle.RateUsage(c.rated, c.segments, billed, kept, found.Subscription.Currency)
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
		if c.paged {
			if err := tx.Usage.DropPages(ctx, env, in.Ref.ID); err != nil {
				return err
			}
		}
		out = contract.SnapshotOf(state, changes.Unfinished)
		return nil
	})
	return out, err
}

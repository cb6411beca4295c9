package rating_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/rating"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/testclock"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/life"
	"perennial/test/scene"
)

// unrated records failed ratings.
type unrated struct {
	scene.Unobserved
	seen []rating.Unrated
}

func (u *unrated) UsageUnrated(_ context.Context, r rating.Unrated) { u.seen = append(u.seen, r) }

// tooDear returns a monthly plan whose calls cost more than the largest amount of an invoice.
func tooDear(of usage.Metric) plan.Plan {
	p := metering(of)
	p.Metered.Components[0].Rates = p.Metered.Components[0].Rates[:1]
	p.Metered.Components[0].Rates[0].Where = nil
	p.Metered.Components[0].Rates[0].Price = perUnit("900000000000")
	return p
}

// takenBack reverses a record of used in full.
func takenBack(l *life.Life, key string, n int64) {
	l.T.Helper()
	correction := db.NewUsage{Record: usage.Record{
		ID: id.New(id.UsageRecord, l.Clock.Now()), SubscriptionID: l.Ref.ID, Metric: "calls", Quantity: money.Whole(-n),
		Key: key + " taken back", Corrects: key,
	}}
	correction.Fingerprint = correction.Record.Fingerprint()
	taken, err := l.Store.UsageLog().CorrectUsage(l.T.Context(), db.BySystem("test"), l.Env, l.Clock.Now(), correction,
		usage.Correct)
	require.NoError(l.T, err)
	require.True(l.T, taken.Taken)
}

const many = 1_000_000_000_000

// dear returns a subscription whose first renewal is due, with usage that cannot be rated, and its observer.
func dear(t *testing.T) (*life.Life, *unrated, string) {
	t.Helper()
	s := scene.New(t)
	seen := &unrated{}
	s.Usage.Observer = seen
	l := life.Begin(t, s, tooDear(calls(t, s)))
	l.Until(scene.Start.Add(life.Day))
	r := usage.Record{
		ID: id.New(id.UsageRecord, l.Clock.Now()), SubscriptionID: l.Ref.ID, Metric: "calls", Quantity: money.Whole(many),
		At: l.Clock.Now(), Key: "too many", Properties: usage.Properties{"region": "eu"},
	}
	_, err := l.Store.UsageLog().RecordUsage(t.Context(), db.BySystem("test"), l.Env, l.Clock.Now(),
		[]db.NewUsage{{Record: r, Fingerprint: r.Fingerprint()}})
	require.NoError(t, err)
	l.Until(l.Snap.PeriodEnd)
	return l, seen, r.Key
}

func (u *unrated) times() (all []int) {
	for _, one := range u.seen {
		all = append(all, one.Times)
	}
	return all
}

// draft returns the only draft.
func draft(t *testing.T, l *life.Life) invoice.Invoice {
	t.Helper()
	var found []invoice.Invoice
	for _, inv := range l.Invoices() {
		if inv.Status == invoice.InDraft {
			found = append(found, inv)
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

// A failed rating is retried after increasing intervals, and the draft has the reason. Once the cause is gone, it is
// issued.
func TestUnrated_RestsAndIsRatedOnceItsCauseIsGone(t *testing.T) {
	t.Parallel()
	l, seen, key := dear(t)
	due := l.Clock.Now()
	first := draft(t, l).UsageFailure
	require.NotNil(t, first)
	require.Equal(t, "amount_too_large", first.Code)
	require.NotEmpty(t, first.Detail)
	require.Equal(t, [2]time.Time{due, due.Add(time.Minute)}, [2]time.Time{first.Since, first.RetryAt})
	require.Equal(t, [2]any{subscription.ActionBillUsage, due.Add(time.Minute)}, [2]any{l.Snap.NextAction, l.Snap.NextAt})
	require.Contains(t, l.Snap.Unrated, "amount_too_large")
	require.Equal(t, []int{1}, seen.times())

	waiting, err := l.Store.Payments.UnratedUsage(t.Context())
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, [4]any{1, money.Minor(1000), due, draft(t, l).ID},
		[4]any{waiting[0].Count, waiting[0].Amount, waiting[0].Oldest, waiting[0].FirstID}, "operators see it")

	l.Until(due.Add(5 * time.Minute))
	require.Equal(t, []int{1, 2, 3}, seen.times(), "after 1 and 2 minutes")
	require.Equal(t, due, draft(t, l).UsageFailure.Since)
	takenBack(l, key, many)
	l.Until(due.Add(10 * time.Minute))

	all := l.Invoices()
	last := all[len(all)-1]
	require.Equal(t, invoice.Paid, last.Status)
	require.Nil(t, last.UsageFailure)
	require.Equal(t, []string{"recurring Plan – Base 1 × 10.00 = 1000"}, amounts(last))
	require.Empty(t, l.Snap.Unrated)
	waiting, err = l.Store.Payments.UnratedUsage(t.Context())
	require.NoError(t, err)
	require.Empty(t, waiting)
	l.Sound()
}

// Meanwhile commands and payments continue; the next renewal is on time, although the rating never succeeds.
func TestUnrated_HoldsNothingUp(t *testing.T) {
	t.Parallel()
	l, seen, _ := dear(t)
	require.Len(t, seen.seen, 1)
	end := l.Snap.PeriodEnd
	l.Clock.Set(end.Add(-time.Minute))
	l.Due() // the interval is long over
	l.Until(end)
	require.Equal(t, 3, l.Sub().PeriodIndex, "the renewal was made when it was due")
	l.Perform(life.CancelNow(""))
	require.Equal(t, subscription.Canceled, l.Sub().Status)
	require.False(t, l.Snap.Finished, "drafts wait")
}

// A person can resolve it: finalize retries at once, and withoutUsage issues the draft without usage.
func TestUnrated_APersonGetsPastIt(t *testing.T) {
	t.Parallel()
	l, seen, _ := dear(t)
	finalize := func(without bool) {
		l.Change(func(state lifecycle.State, at lifecycle.Moment) (lifecycle.State, lifecycle.Changes, error) {
			return lifecycle.Apply(state, lifecycle.FinalizeInvoice{InvoiceID: draft(t, l).ID, WithoutUsage: without}, at)
		})
		l.Reload()
		l.Until(l.Clock.Now())
	}
	finalize(false)
	require.Equal(t, []int{1, 2}, seen.times(), "tried at once, though it rested")
	finalize(true)
	all := l.Invoices()
	last := all[len(all)-1]
	require.Equal(t, invoice.Paid, last.Status)
	require.Nil(t, last.UsageFailure)
	require.Equal(t, subscription.ActionRenewal, l.Snap.NextAction)
	require.Empty(t, l.Snap.Unrated)
	l.Sound()
}

// A defect of a rule fails only its own draft, and only the log shows it.
func TestUnrated_ADefectIsAFailure(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	seen := &unrated{}
	s.Usage.Observer = seen
	l := life.Begin(t, s, metering(calls(t, s)))
	used(l, "eu", 100, scene.Start.Add(time.Hour/2))
	calls := 0
	s.Usage.Clock = func() time.Time {
		if calls++; calls == 1 {
			panic("a defect")
		}
		return s.Clock.Now()
	}
	l.Clock.Set(l.Snap.PeriodEnd)
	l.Due()
	l.Due()
	require.Equal(t, []int{1}, seen.times())
	require.Equal(t, "internal", fault.From(seen.seen[0].Cause).Code)
	require.ErrorContains(t, seen.seen[0].Cause, "a defect")
	require.NotContains(t, draft(t, l).UsageFailure.Detail, "a defect")
}

// A test clock passes a failing rating: the draft stays with the reason, and is retried in the clock's days.
func TestUnrated_HoldsNoTestClockUp(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	seen := &unrated{}
	w.Usage.Observer = seen
	ref := w.SubscribeAt(t, w.Customer(t, w.Ref.ID), w.Plan(t, tooDear(calls(t, w.Scene))), scene.Start)
	require.NoError(t, w.Follow(t.Context(), ref))
	l := &life.Life{Scene: w.Scene, T: t, Ref: ref}
	require.NoError(t, w.Begin(scene.Start.Add(life.Day)))
	w.Steps()
	r := usage.Record{
		ID: id.New(id.UsageRecord, scene.Start), SubscriptionID: ref.ID, Metric: "calls", Quantity: money.Whole(many),
		At: scene.Start.Add(time.Hour), Key: "too many",
	}
	_, err := l.Store.UsageLog().RecordUsage(t.Context(), db.BySystem("test"), l.Env, l.Clock.Now(),
		[]db.NewUsage{{Record: r, Fingerprint: r.Fingerprint()}})
	require.NoError(t, err)

	month := scene.Start.AddDate(0, 1, 0)
	require.NoError(t, w.Begin(month.Add(4*life.Day)))
	step, _ := w.Steps()
	require.Equal(t, month.Add(4*life.Day), step.Now)
	require.Equal(t, testclock.Ready, w.TestClock().Status)
	failure := draft(t, l).UsageFailure
	require.Equal(t, [3]any{"amount_too_large", month, month.Add(7 * life.Day)},
		[3]any{failure.Code, failure.Since, failure.RetryAt}, "after 1, 2 and 4 days")
	require.Equal(t, []int{1, 2, 3}, seen.times())
	waiting, err := l.Store.Payments.UnratedUsage(t.Context())
	require.NoError(t, err)
	require.Empty(t, waiting, "a test is no business of operators")

	takenBack(l, r.Key, many)
	require.NoError(t, w.Begin(month.Add(8*life.Day)))
	w.Steps()
	all := l.Invoices()
	require.Equal(t, invoice.Paid, all[len(all)-1].Status)
	require.Equal(t, []string{"recurring Plan – Base 1 × 10.00 = 1000"}, amounts(all[len(all)-1]))
}

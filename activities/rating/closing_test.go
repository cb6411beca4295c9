package rating_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit/wait"
	"perennial/service/subscriptions"
	"perennial/test/life"
	"perennial/test/scene"
)

// ended returns a subscription with metered prices that was canceled after ten days: its last usage is due.
func ended(t *testing.T) *life.Life {
	t.Helper()
	s := scene.New(t)
	l := life.Begin(t, s, metering(calls(t, s)))
	l.Until(scene.Start.Add(10 * life.Day))
	used(l, "us", 50, scene.Start.Add(life.Day))
	l.Command(life.CancelNow(""))
	l.Reload()
	return l
}

// taking returns a record of calls in us with its key.
func taking(l *life.Life, n int64) db.NewUsage {
	at := scene.Start.Add(2 * life.Day)
	r := usage.Record{
		ID: id.New(id.UsageRecord, at), SubscriptionID: l.Ref.ID, Metric: "calls", Quantity: money.Whole(n), At: at,
		Key: fmt.Sprint("slow", n), Properties: usage.Properties{"region": "us"},
	}
	return db.NewUsage{Record: r, Fingerprint: r.Fingerprint()}
}

// slowWriter starts a transaction that accepts a record and then waits: another one has reserved its key until release,
// which rolls back. The channel gets the outcome of the record.
func slowWriter(t *testing.T, l *life.Life, n int64) (release func(), outcome <-chan db.UsageTaken) {
	t.Helper()
	held, err := l.Pool.Begin(t.Context())
	require.NoError(t, err)
	rollBack := func() error { return held.Rollback(context.WithoutCancel(t.Context())) }
	t.Cleanup(func() { _ = rollBack() }) // where the test failed before
	one := taking(l, n)
	_, err = held.Exec(t.Context(), `insert into usage_keys (environment_id, key, at, fingerprint, record_id)
		values ($1, $2, now(), $3, 'held')`, l.Env, one.Key, one.Fingerprint)
	require.NoError(t, err)
	out := make(chan db.UsageTaken, 1)
	go func() {
		defer close(out)
		taken, err := l.Store.UsageLog().RecordUsage(context.WithoutCancel(t.Context()), db.BySystem("test"), l.Env,
			l.Clock.Now(), []db.NewUsage{one})
		if err == nil {
			out <- taken[0]
		}
	}()
	require.Eventually(t, func() bool { return waits(t, l, held) }, wait.Patience, 5*time.Millisecond)
	return func() { require.NoError(t, rollBack()) }, out
}

// waits reports whether a session waits for the transaction.
func waits(t *testing.T, l *life.Life, tx pgx.Tx) (some bool) {
	err := l.Pool.QueryRow(t.Context(), `select exists (select 1 from pg_stat_activity a where $1 = any(pg_blocking_pids(a.pid)))`,
		tx.Conn().PgConn().PID()).Scan(&some)
	require.NoError(t, err)
	return some
}

// rate runs the activity in the background.
func rate(ctx context.Context, l *life.Life) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := l.Usage.BillUsage(ctx, contract.AdvanceInput{Ref: l.Ref, Now: l.Clock.Now()})
		done <- err
	}()
	return done
}

// closed waits until the subscription accepts no more records.
func closed(t *testing.T, l *life.Life) {
	t.Helper()
	require.Eventually(t, func() bool {
		s := l.Sub()
		return s.LateUsageUntil.Equal(s.CanceledAt)
	}, wait.Patience, 5*time.Millisecond)
}

// A record that is accepted before the last count and committed after its start is on the last invoice: the count waits
// for it. A record in between is refused.
func TestUsage_RecordUnderWayAtTheLastCountIsBilled(t *testing.T) {
	t.Parallel()
	l := ended(t)
	release, slow := slowWriter(t, l, 7)
	done := rate(t.Context(), l)
	closed(t, l)
	late := used(l, "us", 3, scene.Start.Add(3*life.Day))
	require.False(t, late.Taken)
	require.True(t, late.Facts.Closed)
	require.Len(t, l.Invoices(), 2, "the first invoice, and the draft")
	select {
	case err := <-done:
		require.Failf(t, "it counted without the record under way", "%v", err)
	case <-time.After(300 * time.Millisecond):
	}

	release()
	require.True(t, (<-slow).Taken)
	require.NoError(t, <-done)

	l.Reload()
	l.Until(l.Clock.Now())
	all := l.Invoices()
	require.Equal(t, []string{"usage Plan – calls 57 × 0.02 = 114"}, amounts(all[len(all)-1]))
	require.Equal(t, invoice.Paid, all[len(all)-1].Status)
	l.Sound()
}

// A rating that is killed between the close and the count leaves the draft and the close; the next one waits again.
func TestUsage_KilledBetweenCloseAndCount(t *testing.T) {
	t.Parallel()
	l := ended(t)
	release, slow := slowWriter(t, l, 7)
	killed, kill := context.WithCancel(t.Context())
	done := rate(killed, l)
	closed(t, l)
	kill()
	require.Error(t, <-done)
	l.Reload()
	require.False(t, l.Snap.Finished)

	again := rate(t.Context(), l)
	select {
	case err := <-again:
		require.Failf(t, "it counted without the record under way", "%v", err)
	case <-time.After(300 * time.Millisecond):
	}
	release()
	require.True(t, (<-slow).Taken)
	require.NoError(t, <-again)
	all := l.Invoices()
	require.Equal(t, []string{"usage Plan – calls 57 × 0.02 = 114"}, amounts(all[len(all)-1]))
}

// A correction that locks its record before the last count and writes after it is refused: no invoice would return it.
func TestUsage_CorrectionUnderWayAtTheLastCountIsRefused(t *testing.T) {
	t.Parallel()
	l := ended(t)
	original := taking(l, 9)
	_, err := l.Store.UsageLog().RecordUsage(t.Context(), db.BySystem("test"), l.Env, l.Clock.Now(),
		[]db.NewUsage{original})
	require.NoError(t, err)
	correction := db.NewUsage{Record: usage.Record{
		ID: id.New(id.UsageRecord, l.Clock.Now()), SubscriptionID: l.Ref.ID, Metric: "calls", Quantity: money.Whole(-9),
		Key: "taken back", Corrects: original.Key,
	}}
	correction.Fingerprint = correction.Record.Fingerprint()
	decide := func(of usage.Record, before money.Decimal, m usage.Metric, c usage.Record) (usage.Record, error) {
		require.NoError(t, <-rate(t.Context(), l))
		return usage.Correct(of, before, m, c)
	}

	taken, err := l.Store.UsageLog().CorrectUsage(t.Context(), db.BySystem("test"), l.Env, l.Clock.Now(), correction,
		decide)

	require.NoError(t, err)
	require.False(t, taken.Taken)
	correction.At = taken.At
	require.Equal(t, "usage_closed", fault.From(usage.Admit(correction.Record, taken.Facts)).Code)
	all := l.Invoices()
	require.Equal(t, []string{"usage Plan – calls 59 × 0.02 = 118"}, amounts(all[len(all)-1]))
}

// A test clock passes a month while a record is written: each count waits for it.
func TestUsage_RecordUnderWayWhileATestClockMoves(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	of := calls(t, w.Scene)
	ref := w.SubscribeAt(t, w.Customer(t, w.Ref.ID), w.Plan(t, metering(of)), scene.Start)
	require.NoError(t, w.Follow(t.Context(), ref))
	require.NoError(t, w.Begin(scene.Start.Add(3*life.Day)))
	w.Steps()
	l := &life.Life{Scene: w.Scene, T: t, Ref: ref}
	release, slow := slowWriter(t, l, 7)
	require.NoError(t, w.Begin(scene.Start.AddDate(1, 0, 0)))
	stepped := make(chan error, 1)
	go func() {
		for {
			step, err := w.Clocks.StepClock(t.Context(), w.Ref)
			if err != nil || step.Done {
				stepped <- err
				return
			}
		}
	}()
	time.Sleep(300 * time.Millisecond)
	release()
	require.True(t, (<-slow).Taken)
	require.NoError(t, <-stepped)
	var lines []string
	for _, inv := range l.Invoices() {
		lines = append(lines, amounts(inv)[1:]...)
	}
	require.Equal(t, []string{"usage Plan – calls 7 × 0.02 = 14"}, lines)
}

// A record with a time after a concurrent cancellation is on the last invoice, with the time of the end.
func TestUsage_TakenAheadOfTheEndIsBilled(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	l := life.Begin(t, s, metering(calls(t, s)))
	l.Until(scene.Start.Add(10*life.Day + 30*time.Minute))
	used(l, "us", 50, l.Clock.Now().Add(-time.Minute))
	require.True(t, used(l, "us", 4, l.Clock.Now().Add(usage.MaxAhead)).Taken)
	require.True(t, used(l, "eu", 2, l.Clock.Now().Add(time.Microsecond)).Taken)
	foreseen := preview(l, subscriptions.Preview{Command: lifecycle.Cancel{Immediate: true}, Invoices: 1}).Issued
	l.Perform(life.CancelNow(""))
	all := l.Invoices()
	billed := amounts(all[len(all)-1])
	require.Equal(t, []string{"usage Plan – calls 2 × 0.05 = 10", "usage Plan – calls 54 × 0.02 = 108"}, billed)
	require.Equal(t, billed, accruedLines(accrued(l)), "and so it is shown")
	require.Equal(t, billed, amounts(foreseen[len(foreseen)-1]), "and was foreseen")
	l.Sound()
}

// The same holds for a transaction with its own price.
func TestUsage_TransactionTakenAheadOfTheEndIsBilled(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	p := metering(calls(t, s))
	p.Metered.Components[0].Rates = []metered.Rate{{Price: rating.Price{
		Model: rating.Percentage, Percent: money.Whole(2), Transactions: rating.Transactions{Fee: perUnit("0.3").UnitPrice},
	}}}
	l := life.Begin(t, s, p)
	l.Until(scene.Start.Add(10 * life.Day))
	used(l, "us", 50, l.Clock.Now().Add(-time.Minute))
	require.True(t, used(l, "us", 100, l.Clock.Now().Add(time.Minute)).Taken)
	l.Perform(life.CancelNow(""))
	all := l.Invoices()
	require.Equal(t, []string{"usage Plan – calls 150 ×  = 360"}, amounts(all[len(all)-1]), "3.00 and twice 0.30")
}

// A subscription that ends in the instant of its start, as on a test clock that does not move, pays for its usage in
// that instant.
func TestUsage_OfTheInstantOfTheEndIsBilled(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	l := life.Begin(t, s, metering(calls(t, s)))
	require.True(t, used(l, "us", 50, l.Clock.Now()).Taken)
	l.Perform(life.CancelNow(""))
	all := l.Invoices()
	require.Equal(t, []string{"usage Plan – calls 50 × 0.02 = 100"}, amounts(all[len(all)-1]))
	require.Equal(t, invoice.Paid, all[len(all)-1].Status)
	require.True(t, l.Snap.Finished)
	l.Sound()
}

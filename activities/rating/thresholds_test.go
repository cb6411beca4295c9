package rating_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service/usage"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// watched returns a subscription whose calls cost 0.05 each in eu, with thresholds.
func watched(t *testing.T, thresholds ...metered.Threshold) (*life.Life, *usage.Service) {
	t.Helper()
	s := scene.New(t)
	p := metering(calls(t, s))
	p.Metered.Thresholds = thresholds
	l := life.Begin(t, s, p)
	l.Until(scene.Start.Add(5 * life.Day))
	return l, usage.New(usecase.Base{Store: l.Store, Now: l.Clock.Now})
}

func reached(l *life.Life) int { return l.CountEvents("usage.threshold_reached") }

// merge merges the records, and checks the thresholds.
func merge(l *life.Life, s *usage.Service) {
	l.T.Helper()
	_, err := s.RollUpUsage(l.T.Context())
	require.NoError(l.T, err)
	ask(l, s)
	l.Reload()
	l.Until(l.Clock.Now())
}

// ask checks the thresholds.
func ask(l *life.Life, s *usage.Service) {
	l.T.Helper()
	_, err := s.AskReached(l.T.Context())
	require.NoError(l.T, err)
}

// Each threshold is announced once in each period, for any number of checks and after any corrections.
func TestThresholds_AreAnnouncedOncePerPeriod(t *testing.T) {
	t.Parallel()
	l, s := watched(t, metered.Threshold{Amount: 500}, metered.Threshold{MetricName: "calls", Quantity: money.Whole(150)})
	at := scene.Start.Add(life.Day)
	used(l, "eu", 99, at)
	merge(l, s)
	require.Zero(t, reached(l))

	used(l, "eu", 1, at)
	merge(l, s)
	require.Equal(t, 1, reached(l))
	used(l, "us", 60, at)
	merge(l, s)
	merge(l, s)
	ask(l, s)
	require.Equal(t, 2, reached(l), "160 calls")
	require.Len(t, l.Invoices(), 1, "none of them bills")
	require.Zero(t, life.Count(t, l.Scene, "select count(*) from usage_touched"))

	l.Until(scene.Start.AddDate(0, 1, 2))
	used(l, "eu", 100, l.Clock.Now().Add(-time.Hour))
	merge(l, s)
	require.Equal(t, 3, reached(l), "in the next period again")
	l.Sound()
}

// A threshold that bills does so at once, and no other invoice bills the same usage.
func TestThresholds_BillAtOnce(t *testing.T) {
	t.Parallel()
	l, s := watched(t, metered.Threshold{Amount: 500, Invoice: true}, metered.Threshold{Amount: 800, Invoice: true})
	at := scene.Start.Add(life.Day)
	used(l, "eu", 120, at)
	merge(l, s)

	all := l.Invoices()
	require.Len(t, all, 2)
	require.Equal(t, [3]any{invoice.Usage, invoice.Paid, money.Minor(600)},
		[3]any{all[1].Reason, all[1].Status, all[1].AmountPaid})
	require.Equal(t, []string{"usage Plan – calls 120 × 0.05 = 600"}, amounts(all[1]))
	shown := accrued(l)
	require.Equal(t, [2]money.Minor{600, 600}, [2]money.Minor{shown.Accrual.Total(), shown.Accrual.Billed})

	used(l, "eu", 60, at.Add(time.Hour))
	merge(l, s)
	merge(l, s)
	all = l.Invoices()
	require.Len(t, all, 3)
	require.Equal(t, money.Minor(300), all[2].Total)
	used(l, "us", 10, at.Add(time.Hour))
	l.Until(scene.Start.AddDate(0, 1, 1))

	all = l.Invoices()
	require.Len(t, all, 4)
	require.Equal(t, []string{"recurring Plan – Base 1 × 10.00 = 1000", "usage Plan – calls 10 × 0.02 = 20"}, amounts(all[3]))
	l.Sound()
}

// Minimums and a commitment are not usage: they count for no threshold, and an invoice before the period's end has none
// of them.
func TestThresholds_KnowNoMinimum(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	p := metering(calls(t, s))
	p.Metered.Components[0].Rates[0].Price.Minimum = 900
	p.Metered.Commitment = &metered.Commitment{ID: p.Prices[0].ID + "c", Amount: 1000}
	p.Metered.Thresholds = []metered.Threshold{{Percent: money.Whole(50), Invoice: true}}
	l := life.Begin(t, s, p)
	l.Until(scene.Start.Add(5 * life.Day))
	svc := usage.New(usecase.Base{Store: l.Store, Now: l.Clock.Now})
	used(l, "eu", 99, scene.Start.Add(life.Day))
	merge(l, svc)
	require.Zero(t, reached(l))
	used(l, "eu", 1, scene.Start.Add(life.Day))
	merge(l, svc)

	require.Equal(t, 1, reached(l))
	require.Equal(t, money.Minor(500), l.Invoices()[1].Total)
	l.Until(scene.Start.AddDate(0, 1, 1))
	require.Equal(t, money.Minor(1000+400+100), l.Invoices()[2].Total, "the rest of the minimum, and of the commitment")
	l.Sound()
}

// A subscription's own thresholds replace its plan's.
func TestThresholds_OfASubscription(t *testing.T) {
	t.Parallel()
	l, s := watched(t, metered.Threshold{Amount: 500})
	set := func(to *subscription.UsageThresholds) {
		life.Perform(t, l.Scene, l.Ref, lifecycle.SetUsageThresholds{To: to})
		l.Reload()
	}
	at := scene.Start.Add(life.Day)
	set(&subscription.UsageThresholds{{Amount: 700}})
	used(l, "eu", 120, at)
	merge(l, s)
	require.Zero(t, reached(l))
	used(l, "eu", 20, at)
	merge(l, s)
	require.Equal(t, 1, reached(l))
	set(&subscription.UsageThresholds{})
	used(l, "eu", 1, at)
	merge(l, s)
	require.Equal(t, 1, reached(l))
	set(nil)
	used(l, "us", 1, at)
	merge(l, s)
	require.Equal(t, 2, reached(l), "that of the plan")
	l.Sound()
}

// Usage that was merged before a threshold is lowered, or before its period begins, crosses it without another record.
func TestThresholds_ReachedByWhatWasMergedBefore(t *testing.T) {
	t.Parallel()
	l, s := watched(t, metered.Threshold{Amount: 500})
	used(l, "eu", 90, scene.Start.Add(life.Day))
	merge(l, s)
	require.Zero(t, reached(l))
	life.Perform(t, l.Scene, l.Ref, lifecycle.SetUsageThresholds{To: &subscription.UsageThresholds{{Amount: 450}}})
	ask(l, s)
	require.Equal(t, 1, reached(l))

	l.Reload()
	l.Clock.Set(scene.Start.AddDate(0, 1, 0).Add(time.Hour)) // no worker has renewed the period
	used(l, "eu", 90, l.Clock.Now().Add(-time.Minute))
	_, err := s.RollUpUsage(t.Context())
	require.NoError(t, err)
	ask(l, s)
	require.Equal(t, 1, reached(l), "it is usage of the next period")
	l.Until(l.Clock.Now())
	ask(l, s)
	require.Equal(t, 2, reached(l))
	require.Zero(t, life.Count(t, l.Scene, "select count(*) from usage_touched"))
	l.Sound()
}

// Thresholds are checked as soon as they are set, also if the subscription had none before.
func TestThresholds_SetForTheFirstTime(t *testing.T) {
	t.Parallel()
	l, s := watched(t)
	used(l, "eu", 90, scene.Start.Add(life.Day))
	merge(l, s)
	set := func(to *subscription.UsageThresholds) {
		life.Perform(t, l.Scene, l.Ref, lifecycle.SetUsageThresholds{To: to})
		ask(l, s)
	}
	set(&subscription.UsageThresholds{{Amount: 450}})
	require.Equal(t, 1, reached(l))
	set(&subscription.UsageThresholds{})
	set(&subscription.UsageThresholds{{Amount: 440}})
	require.Equal(t, 2, reached(l))
	l.Reload()
	l.Sound()
}

// Concurrent checks of several processes, and a crash within the transaction, leave one crossing.
func TestThresholds_CrossedOnceByManyProcesses(t *testing.T) {
	t.Parallel()
	l, s := watched(t, metered.Threshold{Amount: 500, Invoice: true})
	used(l, "eu", 100, scene.Start.Add(life.Day))
	versions, err := l.Store.Usage.Behind(t.Context(), 10)
	require.NoError(t, err)
	for _, version := range versions { // merged by a process that crashed before the check
		l.InTx(t, func(tx *db.Tx) error { _, err := tx.Usage.RollUp(t.Context(), version, 100); return err })
	}
	require.Equal(t, 1, life.Count(t, l.Scene, "select count(*) from usage_touched"))

	dying := l.Store.With(dies{})
	ask(l, usage.New(usecase.Base{Store: dying, Now: l.Clock.Now}))
	require.Equal(t, 1, reached(l), "it died behind its commit")
	l.InTx(t, func(tx *db.Tx) error {
		return tx.Usage.Touch(t.Context(), l.Env, l.Ref.ID)
	})
	used(l, "eu", 1, scene.Start.Add(life.Day))
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			ctx := context.WithoutCancel(t.Context())
			_, merged := s.RollUpUsage(ctx)
			_, freed := l.Pool.Exec(ctx, "update usage_touched set due_at = now()") // as if another lease had ended
			_, asked := s.AskReached(ctx)
			assert.NoError(t, errors.Join(merged, freed, asked))
		})
	}
	all.Wait()

	require.Equal(t, 1, reached(l))
	require.Equal(t, 1, life.Count(t, l.Scene, "select count(*) from usage_crossings"))
	l.Reload()
	l.Until(l.Clock.Now())
	require.Len(t, l.Invoices(), 2)
	l.Sound()
}

// dies loses the effects of a commit.
type dies struct{}

func (dies) Dispatch(context.Context, db.Actor, []db.Effect) {}

package activities_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service"
	"perennial/test/scene"
)

// forget has the subscription wait for its next boundary only, as a build leaves it that knows nothing of what else is due.
func (l *life) forget() {
	l.t.Helper()
	_, err := l.Pool.Exec(l.t.Context(), `update subscriptions set next_action_at = case when status in ('paused', 'canceled') then null
		else current_period_end end, next_action = case when status in ('paused', 'canceled') then 'none' else 'renewal' end where id = $1`,
		l.ref.ID)
	require.NoError(l.t, err)
}

// overlooked are the kinds of dates that have passed and that nothing waits for.
func (l *life) overlooked() (kinds []string) {
	l.t.Helper()
	found, err := l.Store.OverlookedDates(l.t.Context(), l.Clock.Now().Add(-time.Minute))
	require.NoError(l.t, err)
	for _, o := range found {
		require.Equal(l.t, 1, o.Count, o.Kind)
		kinds = append(kinds, o.Kind)
	}
	return kinds
}

func graced(s *subscription.Settings) { s.InvoiceGraceMinutes = 24 * 60 }

// A step back to an earlier build, and forward again: whatever that build has written as the next action, the next pass finds
// each date that has passed, and the rules do what is due by it, without a renewal.
func TestReconcile_FindsDatesThatNothingWaitsFor(t *testing.T) {
	t.Parallel()
	renewal := scene.Start.AddDate(0, 1, 0)
	for kind, c := range map[string]struct {
		options []scene.Option
		begin   func(*life)
		at      time.Time // the date
		done    func(*life)
	}{
		"finalize_invoice": {[]scene.Option{graced}, func(l *life) { l.until(renewal) }, renewal.Add(day), func(l *life) {
			require.Equal(l.t, invoice.Paid, l.invoices()[1].Status)
			require.Equal(l.t, renewal.Add(day), l.invoices()[1].FinalizesAt)
		}},
		"finalize_invoice, ended": {[]scene.Option{graced}, func(l *life) {
			l.until(renewal)
			_, err := l.Pool.Exec(l.t.Context(), `update subscriptions set status = 'canceled', canceled_at = $2, cancel_reason = 'enough',
				finished_at = $2 where id = $1`, l.ref.ID, l.Clock.Now())
			require.NoError(l.t, err)
		}, renewal.Add(day), func(l *life) {
			require.Equal(l.t, invoice.Paid, l.invoices()[1].Status, "it is in time for its one attempt")
		}},
		"payment_retry": {nil, func(l *life) {
			l.Provider.Script = always(scene.Decline)
			l.until(renewal)
			l.Provider.Script = nil
		}, renewal.Add(day), func(l *life) { require.Equal(l.t, invoice.Paid, l.invoices()[1].Status) }},
		"invoice_overdue": {nil, func(l *life) {
			ordered(l.t, l.Scene, l.ref, sent())
			l.reload()
			l.until(renewal)
		}, renewal.AddDate(0, 0, 8), func(l *life) { require.Equal(l.t, 1, counted(l.t, l.Scene, overdues, l.ref.ID)) }},
		"resume": {nil, func(l *life) {
			ordered(l.t, l.Scene, l.ref, lifecycle.Pause{ResumesAt: scene.Start.AddDate(0, 0, 10)})
			l.wake()
		}, scene.Start.AddDate(0, 0, 10), func(l *life) {
			require.Equal(l.t, subscription.Active, l.sub().Status)
			require.Equal(l.t, scene.Start.AddDate(0, 0, 10), l.sub().CurrentPeriod.Start)
		}},
		"scheduled_change": {nil, func(l *life) {
			to := l.Plan(l.t, scene.Monthly(4000))
			l.InTx(l.t, func(tx *db.Tx) error {
				_, err := service.ChangePlan(l.t.Context(), tx, l.Env, l.ref.ID,
					service.PlanChange{PlanID: to.ID, On: scene.Start.AddDate(0, 0, 10)})
				return err
			})
			l.wake()
		}, scene.Start.AddDate(0, 0, 10), func(l *life) {
			require.Empty(l.t, l.sub().Scheduled)
			require.Len(l.t, l.invoices(), 2, "the rest of the period")
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, w := scene.New(t, c.options...), &woken{}
			l := begin(t, s, scene.Monthly(1000))
			c.begin(l)
			periods := l.sub().NextPeriod
			_ = w.pass(t, s) // its workflow is started
			l.forget()
			s.Clock.Set(c.at.Add(-time.Second))
			require.Empty(t, w.pass(t, s), "not yet")
			require.Empty(t, l.overlooked())

			s.Clock.Set(c.at.Add(2 * time.Minute))
			name, _, _ := strings.Cut(kind, ",")
			require.Equal(t, []string{name}, l.overlooked())
			require.Contains(t, w.pass(t, s), "wake "+l.ref.ID)
			l.wake()
			l.until(s.Clock.Now())
			c.done(l)
			require.Empty(t, l.overlooked())
			if name != "resume" { // which begins a period
				require.Equal(t, periods, l.sub().NextPeriod, "without a renewal")
			}
			require.NotContains(t, w.pass(t, s), "wake "+l.ref.ID)
			if name == kind { // else the other build has announced the cancellation
				l.sound()
			}
		})
	}
}

// The next boundary itself is found, too: a build may count it in another way.
func TestReconcile_FindsABoundaryThatNothingWaitsFor(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	l := begin(t, s, scene.Monthly(1000))
	_ = w.pass(t, s)
	_, err := s.Pool.Exec(t.Context(), "update subscriptions set next_action_at = next_action_at + interval '1 month'")
	require.NoError(t, err)
	s.Clock.Set(scene.Start.AddDate(0, 1, 0).Add(2 * time.Minute))
	require.Equal(t, []string{"renewal"}, l.overlooked())
	require.Contains(t, w.pass(t, s), "wake "+l.ref.ID)
	l.wake()
	l.until(s.Clock.Now())
	require.Len(t, l.invoices(), 2)
	require.Empty(t, l.overlooked())
	l.sound()
}

// What is left of a grant whose end has passed is counted until a pass has taken it away.
func TestOverlooked_Grants(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	l := begin(t, s, scene.Monthly(1000))
	grant(t, s, l.customer, 500, scene.Start.Add(time.Hour))
	s.Clock.Set(scene.Start.Add(2 * time.Hour))
	require.Equal(t, []string{"grant_end"}, l.overlooked())
	_ = w.pass(t, s)
	require.Empty(t, l.overlooked())
}

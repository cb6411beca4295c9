package reconcile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/db"
	"perennial/service/subscriptions"
	"perennial/test/life"
	"perennial/test/scene"
)

func graced(s *subscription.Settings) { s.InvoiceGraceMinutes = 24 * 60 }

// A step back to an earlier build, and forward again: whatever next action that build has written, the next pass finds
// each date that has passed, and the rules perform its work, without a renewal.
func TestReconcile_FindsDatesThatNothingWaitsFor(t *testing.T) {
	t.Parallel()
	renewal := scene.Start.AddDate(0, 1, 0)
	for kind, c := range map[string]struct {
		options []scene.Option
		begin   func(*life.Life)
		at      time.Time // the date
		done    func(*life.Life)
	}{
		"finalize_invoice": {[]scene.Option{graced}, func(l *life.Life) { l.Until(renewal) }, renewal.Add(life.Day), func(l *life.Life) {
			require.Equal(l.T, invoice.Paid, l.Invoices()[1].Status)
			require.Equal(l.T, renewal.Add(life.Day), l.Invoices()[1].FinalizesAt)
		}},
		"finalize_invoice, ended": {[]scene.Option{graced}, func(l *life.Life) {
			l.Until(renewal)
			_, err := l.Pool.Exec(l.T.Context(), `update subscriptions set status = 'canceled', canceled_at = $2, cancel_reason = 'enough',
				finished_at = $2 where id = $1`, l.Ref.ID, l.Clock.Now())
			require.NoError(l.T, err)
		}, renewal.Add(life.Day), func(l *life.Life) {
			require.Equal(l.T, invoice.Paid, l.Invoices()[1].Status, "it is in time for its one attempt")
		}},
		"payment_retry": {nil, func(l *life.Life) {
			l.Provider.Script = life.Always(scene.Decline)
			l.Until(renewal)
			l.Provider.Script = nil
		}, renewal.Add(life.Day), func(l *life.Life) { require.Equal(l.T, invoice.Paid, l.Invoices()[1].Status) }},
		"invoice_overdue": {nil, func(l *life.Life) {
			life.Perform(l.T, l.Scene, l.Ref, life.SendInvoices())
			l.Reload()
			l.Until(renewal)
		}, renewal.AddDate(0, 0, 8), func(l *life.Life) { require.Equal(l.T, 1, life.Count(l.T, l.Scene, life.CountOverdue, l.Ref.ID)) }},
		"resume": {nil, func(l *life.Life) {
			life.Perform(l.T, l.Scene, l.Ref, lifecycle.Pause{ResumesAt: scene.Start.AddDate(0, 0, 10)})
			l.Wake()
		}, scene.Start.AddDate(0, 0, 10), func(l *life.Life) {
			require.Equal(l.T, subscription.Active, l.Sub().Status)
			require.Equal(l.T, scene.Start.AddDate(0, 0, 10), l.Sub().CurrentPeriod.Start)
		}},
		"scheduled_change": {nil, func(l *life.Life) {
			to := l.Plan(l.T, scene.Monthly(4000))
			l.InTx(l.T, func(tx *db.Tx) error {
				_, err := subscriptions.ChangePlan(l.T.Context(), tx, l.Env, l.Ref.ID,
					subscriptions.PlanChange{PlanID: to.ID, On: scene.Start.AddDate(0, 0, 10)})
				return err
			})
			l.Wake()
		}, scene.Start.AddDate(0, 0, 10), func(l *life.Life) {
			require.Empty(l.T, l.Sub().Scheduled)
			require.Len(l.T, l.Invoices(), 2, "the rest of the period")
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s, w := scene.New(t, c.options...), &life.Waker{}
			l := life.Begin(t, s, scene.Monthly(1000))
			c.begin(l)
			periods := l.Sub().NextPeriod
			_ = w.Pass(t, s) // its workflow is started
			l.ForgetDates()
			s.Clock.Set(c.at.Add(-time.Second))
			require.Empty(t, w.Pass(t, s), "not yet")
			require.Empty(t, l.OverlookedKinds())

			s.Clock.Set(c.at.Add(2 * time.Minute))
			name, _, _ := strings.Cut(kind, ",")
			require.Equal(t, []string{name}, l.OverlookedKinds())
			require.Contains(t, w.Pass(t, s), "wake "+l.Ref.ID)
			l.Wake()
			l.Until(s.Clock.Now())
			c.done(l)
			require.Empty(t, l.OverlookedKinds())
			if name != "resume" { // which begins a period
				require.Equal(t, periods, l.Sub().NextPeriod, "without a renewal")
			}
			require.NotContains(t, w.Pass(t, s), "wake "+l.Ref.ID)
			if name == kind { // else the other build has announced the cancellation
				l.Sound()
			}
		})
	}
}

// The next boundary itself is found, too: a build may count it in another way.
func TestReconcile_FindsABoundaryThatNothingWaitsFor(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	l := life.Begin(t, s, scene.Monthly(1000))
	_ = w.Pass(t, s)
	_, err := s.Pool.Exec(t.Context(), "update subscriptions set next_action_at = next_action_at + interval '1 month'")
	require.NoError(t, err)
	s.Clock.Set(scene.Start.AddDate(0, 1, 0).Add(2 * time.Minute))
	require.Equal(t, []string{"renewal"}, l.OverlookedKinds())
	require.Contains(t, w.Pass(t, s), "wake "+l.Ref.ID)
	l.Wake()
	l.Until(s.Clock.Now())
	require.Len(t, l.Invoices(), 2)
	require.Empty(t, l.OverlookedKinds())
	l.Sound()
}

// The rest of a grant whose end has passed is counted until a pass removes it.
func TestOverlooked_Grants(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	l := life.Begin(t, s, scene.Monthly(1000))
	life.Grant(t, s, l.Payer, 500, scene.Start.Add(time.Hour))
	s.Clock.Set(scene.Start.Add(2 * time.Hour))
	require.Equal(t, []string{"grant_end"}, l.OverlookedKinds())
	_ = w.Pass(t, s)
	require.Empty(t, l.OverlookedKinds())
}

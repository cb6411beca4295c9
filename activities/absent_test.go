package activities_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/activities/charging"
	"perennial/activities/execution"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/internal/id"
	"perennial/service"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// absences remembers which rows were reported absent.
type absences struct {
	scene.Unobserved
	rows []execution.RowAbsent
}

func (a *absences) RowAbsent(_ context.Context, r execution.RowAbsent) { a.rows = append(a.rows, r) }

// An activity that repeats for ever on a row that a restore has lost would never end its workflow.
func TestRowAbsent_EndsItsWorkflowAndIsReportedOnce(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	for kind, c := range map[string]struct {
		prefix string
		run    func(context.Context, charging.Observer, contract.Ref) (ends bool, err error)
	}{
		execution.KindSubscription: {id.Subscription,
			func(ctx context.Context, o charging.Observer, ref contract.Ref) (bool, error) {
				a := activities.Subscriptions{Store: s.Worker, Clock: s.Clock.Now, Observer: o}
				out, err := a.Advance(ctx, contract.AdvanceInput{Ref: ref, Now: s.Clock.Now()})
				return out.Absent, err
			}},
		execution.KindPayment: {id.Transaction, func(ctx context.Context, o charging.Observer, ref contract.Ref) (bool,
			error) {
			a := charging.Payments{Store: s.Worker, Clock: s.Clock.Now, Observer: o}
			out, err := a.Charge(ctx, contract.ResolveInput{EnvironmentID: ref.EnvironmentID, TransactionID: ref.ID})
			return out.Status == "absent", err
		}},
		execution.KindTestClock: {id.TestClock, func(ctx context.Context, o charging.Observer, ref contract.Ref) (bool,
			error) {
			a := activities.Clocks{Store: s.Worker, Clock: s.Clock.Now, Observer: o}
			out, err := a.StepClock(ctx, ref)
			return out.Done, err
		}},
		execution.KindErasure: {id.Erasure, func(ctx context.Context, o charging.Observer, ref contract.Ref) (bool,
			error) {
			a := activities.Erasures{Store: s.Worker, Clock: s.Clock.Now, Observer: o}
			out, err := a.EraseBatch(ctx, ref)
			return out.Absent, err
		}},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			seen, ref := &absences{}, contract.Ref{EnvironmentID: s.Env, ID: id.New(c.prefix, time.Now())}
			ends, err := c.run(t.Context(), seen, ref)
			require.NoError(t, err)
			require.True(t, ends)
			require.Equal(t, []execution.RowAbsent{{Kind: kind, Ref: ref}}, seen.rows)
		})
	}
}

// A deleted test clock has its row: nothing was lost.
func TestRowAbsent_NotForADeletedTestClock(t *testing.T) {
	t.Parallel()
	w, seen := life.NewClockwork(t), &absences{}
	w.Clocks.Observer = seen
	require.NoError(t, w.Begin(scene.Start.AddDate(1, 0, 0)))
	require.NoError(t, w.AsAPI(func(s *service.Service, by usecase.Caller) error {
		return s.Clocks.DeleteTestClock(t.Context(), by, w.Ref.ID, usecase.Around[testclock.Clock]{})
	}))
	step, err := w.Clocks.StepClock(t.Context(), w.Ref)
	require.NoError(t, err)
	require.True(t, step.Done)
	require.Empty(t, seen.rows)
}

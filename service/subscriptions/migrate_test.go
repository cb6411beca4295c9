package subscriptions

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/service/catalog"
	"perennial/service/servicetest"
	"perennial/service/usecase"
	"perennial/test/scene"
)

func (s *Service) migrated(t *testing.T, by usecase.Caller, planID string, m PlanMigration) PlanMigrated {
	t.Helper()
	var out PlanMigrated
	require.NoError(t, s.MigratePlan(t.Context(), by, planID, m, usecase.Around[PlanMigrated]{
		After: func(_ *db.Tx, done PlanMigrated) error { out = done; return nil },
	}))
	return out
}

// The migration charges and credits the amounts of the dry run.
func TestMigratePlan_CostsWhatTheDryRunSaid(t *testing.T) {
	t.Parallel()
	s, payer, ref := pays(t, scene.Capture)
	svc, by := at(s)
	sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	version := func(amount money.Minor) {
		t.Helper()
		_, err := svc.Catalog.CreatePlanVersion(t.Context(), by, sub.PlanID, catalog.NewPlanVersion{
			Prices: []plan.Price{plan.Flat("", "", amount)},
		}, nil)
		require.NoError(t, err)
	}
	s.Clock.Add(10 * 24 * time.Hour)
	version(7000)

	shown := svc.migrated(t, by, sub.PlanID, PlanMigration{DryRun: true})

	require.Equal(t, [2]int{1, 1}, [2]int{shown.Examined, shown.Migrated})
	require.Len(t, shown.Sums, 1)
	require.Positive(t, shown.Sums[0].AmountDue)
	require.Len(t, totals(t, s, ref), 1, "nothing was written")
	require.Equal(t, 1, svc.migrated(t, by, sub.PlanID, PlanMigration{}).Migrated)
	require.Contains(t, totals(t, s, ref), shown.Sums[0].AmountDue)
	refused := svc.migrated(t, by, sub.PlanID, PlanMigration{To: 1})
	require.Equal(t, []string{"payment_in_progress"}, codes(refused), "its invoice is being charged")
	servicetest.Charge(t, s, ref)

	version(10)
	shown = svc.migrated(t, by, sub.PlanID, PlanMigration{DryRun: true})
	require.Zero(t, shown.Sums[0].AmountDue)
	require.Positive(t, shown.Sums[0].Credited)
	require.Equal(t, 1, svc.migrated(t, by, sub.PlanID, PlanMigration{}).Migrated)
	balance, err := s.Store.Customers.CreditBalance(t.Context(), s.Env, payer.ID, sub.Currency)
	require.NoError(t, err)
	require.Equal(t, shown.Sums[0].Credited, balance)
}

// A migration back to the present version calls off one at the period's end.
func TestMigratePlan_IsCalledOff(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	svc, by := at(s)
	sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	_, err = svc.Catalog.CreatePlanVersion(t.Context(), by, sub.PlanID,
		catalog.NewPlanVersion{Prices: []plan.Price{plan.Flat("", "", 7000)}}, nil)
	require.NoError(t, err)
	pending := func() int {
		sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, ref.ID)
		require.NoError(t, err)
		return sub.PendingPlanVersion
	}
	svc.migrated(t, by, sub.PlanID, PlanMigration{AtPeriodEnd: true})
	require.Equal(t, 2, pending())

	back := svc.migrated(t, by, sub.PlanID, PlanMigration{To: 1, AtPeriodEnd: true})

	require.Equal(t, 1, back.Migrated)
	require.Zero(t, pending())
}

// A request whose time is nearly over responds with its progress.
func TestMigratePlan_AnswersInTime(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	svc, by := at(s)
	sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	svc.Now = func() time.Time { return time.Now().Add(time.Hour) } // for it, any deadline of the real clock has passed
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out PlanMigrated

	err = svc.MigratePlan(ctx, by, sub.PlanID, PlanMigration{}, usecase.Around[PlanMigrated]{
		After: func(_ *db.Tx, done PlanMigrated) error { out = done; return nil },
	})

	require.NoError(t, err)
	require.True(t, out.HasMore)
	require.Empty(t, out.Last, "the next request begins where this one did")
}

func codes(m PlanMigrated) (codes []string) {
	for _, r := range m.Refused {
		codes = append(codes, r.Reason.Code)
	}
	return codes
}

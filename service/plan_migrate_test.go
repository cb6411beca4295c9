package service

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/test/scene"
)

func (s *Service) migrated(t *testing.T, by Caller, planID string, m PlanMigration) PlanMigrated {
	t.Helper()
	var out PlanMigrated
	require.NoError(t, s.MigratePlan(t.Context(), by, planID, m, Around[PlanMigrated]{
		After: func(_ *db.Tx, done PlanMigrated) error { out = done; return nil },
	}))
	return out
}

// What a dry run says is charged and credited is what the migration charges and credits.
func TestMigratePlan_CostsWhatTheDryRunSaid(t *testing.T) {
	t.Parallel()
	s, payer, ref := pays(t, scene.Capture)
	svc, by := at(s)
	sub, err := s.Store.Subscription(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	version := func(amount money.Minor) {
		t.Helper()
		_, err := svc.CreatePlanVersion(t.Context(), by, sub.PlanID, NewPlanVersion{
			Prices: []plan.Price{plan.Flat("", "", amount)},
		}, nil)
		require.NoError(t, err)
	}
	s.Clock.Add(10 * 24 * time.Hour)
	version(7000)

	shown := svc.migrated(t, by, sub.PlanID, PlanMigration{DryRun: true})

	require.Equal(t, [2]int{1, 1}, [2]int{shown.Examined, shown.Migrated})
	require.Positive(t, shown.AmountDue)
	require.Len(t, invoices(t, s, ref), 1, "nothing was written")
	require.Equal(t, 1, svc.migrated(t, by, sub.PlanID, PlanMigration{}).Migrated)
	require.Contains(t, invoices(t, s, ref), shown.AmountDue)
	refused := svc.migrated(t, by, sub.PlanID, PlanMigration{To: 1})
	require.Equal(t, []string{"payment_in_progress"}, codes(refused), "its invoice is being charged")
	charge(t, s, ref)

	version(10)
	shown = svc.migrated(t, by, sub.PlanID, PlanMigration{DryRun: true})
	require.Zero(t, shown.AmountDue)
	require.Positive(t, shown.Credited)
	require.Equal(t, 1, svc.migrated(t, by, sub.PlanID, PlanMigration{}).Migrated)
	balance, err := s.Store.CreditBalance(t.Context(), s.Env, payer.ID, sub.Currency)
	require.NoError(t, err)
	require.Equal(t, shown.Credited, balance)
}

func codes(m PlanMigrated) (codes []string) {
	for _, r := range m.Refused {
		codes = append(codes, r.Reason.Code)
	}
	return codes
}

package subscriptions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	servicecatalog "perennial/service/catalog"
	"perennial/service/servicetest"
	"perennial/test/scene"
)

// monthly returns a plan of a file.
func monthly(key, name string, amount money.Minor) catalog.Plan {
	return catalog.Plan{Plan: plan.Plan{
		Key: key, Name: name, Currency: "EUR", Interval: period.Interval{Unit: period.Month, Count: 1}, Active: true,
		Prices: []plan.Price{plan.Flat("", "Base", amount)},
	}}
}

// Two files are applied in short succession: the first one's migration does not undo the second one's.
func TestMigrateCatalogPlan_IsOvertaken(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	svc, by := at(s)
	sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	apply := func(amount money.Minor) servicecatalog.Change {
		t.Helper()
		p := monthly("plan", "Plan", amount)
		p.ID, p.Migrate = sub.PlanID, catalog.AtPeriodEnd
		changes, err := svc.Catalog.ApplyCatalog(t.Context(), by, servicecatalog.WantedCatalog{Plans: []catalog.Plan{p}})
		require.NoError(t, err)
		require.Len(t, changes.Plans, 1)
		return changes.Plans[0]
	}
	waitsFor := func() int {
		t.Helper()
		sub, err = s.Store.Subscriptions.Get(t.Context(), s.Env, ref.ID)
		require.NoError(t, err)
		return sub.PendingPlanVersion
	}
	second := apply(1500)
	third := apply(1600)

	moved, err := svc.MigrateCatalogPlan(t.Context(), by, second)
	require.ErrorIs(t, err, subscription.ErrSuperseded, "found before a page")
	require.Zero(t, moved.Migrated)
	page := PlanMigration{To: second.To.Version, AtPeriodEnd: true, NewestOnly: true}
	_, _, err = svc.tryMigration(t.Context(), by, sub, page, second.To)
	require.ErrorIs(t, err, subscription.ErrSuperseded, "found within a page")
	require.Zero(t, waitsFor())
	moved, err = svc.MigrateCatalogPlan(t.Context(), by, third)
	require.NoError(t, err)
	require.Equal(t, 1, moved.Migrated)
	require.Equal(t, third.To.Version, waitsFor())
}

// The subscriptions renew at the price that the diff announced.
func TestMigrateCatalogPlan_MovesAtThePeriodsEnd(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	svc, by := at(s)
	sub, err := s.Store.Subscriptions.Get(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	file := []catalog.Plan{monthly("plan", "Plan", 1500)}
	file[0].ID, file[0].Migrate = sub.PlanID, catalog.AtPeriodEnd

	shown, err := svc.Catalog.DiffCatalog(t.Context(), by, servicecatalog.WantedCatalog{Plans: file})
	require.NoError(t, err)
	require.Len(t, shown.Plans, 1)
	require.Equal(t, []string{"catalogKey", "prices"}, shown.Plans[0].Fields)
	require.Equal(t, catalog.Effect{Running: 1, Behind: 1,
		Sums: []catalog.Sum{{Currency: "EUR", Now: 1000, Then: 1500}}}, shown.Plans[0].Effect)

	done, err := svc.Catalog.ApplyCatalog(t.Context(), by, servicecatalog.WantedCatalog{Plans: file})
	require.NoError(t, err)
	require.Equal(t, shown.Plans[0].Effect, done.Plans[0].Effect)
	require.True(t, done.Plans[0].Moves())
	moved, err := svc.MigrateCatalogPlan(t.Context(), by, done.Plans[0])
	require.NoError(t, err)
	require.Equal(t, 1, moved.Migrated)

	again, err := svc.Catalog.DiffCatalog(t.Context(), by, servicecatalog.WantedCatalog{Plans: file})
	require.NoError(t, err)
	require.Empty(t, again.Plans, "it waits for the end of its period")
	s.Clock.Set(sub.CurrentPeriod.End)
	servicetest.Charge(t, s, ref)
	require.Equal(t, []money.Minor{1500, 1000}, totals(t, s, ref), "the newest first")
	listed, err := svc.Catalog.Plans(t.Context(), by)
	require.NoError(t, err)
	require.Equal(t, [2]any{"plan", 2}, [2]any{listed[0].Key, listed[0].Version})
}

package service

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/test/scene"
)

// monthly is a plan of a file.
func monthly(key, name string, amount money.Minor) catalog.Plan {
	return catalog.Plan{Plan: plan.Plan{
		Key: key, Name: name, Currency: "EUR", Interval: period.Interval{Unit: period.Month, Count: 1}, Active: true,
		Prices: []plan.Price{plan.Flat("", "Base", amount)},
	}}
}

// fields are what changes about plans, by their keys.
func fields(changes []CatalogChange) map[string][]string {
	out := map[string][]string{}
	for _, c := range changes {
		out[c.To.Key] = c.Fields
		if c.Was == nil {
			out[c.To.Key] = []string{"created"}
		}
	}
	return out
}

func TestApplyCatalog_MakesTheFileTrueOnce(t *testing.T) {
	t.Parallel()
	s := newHouse(t)
	svc, by := at(s.Scene)
	file := func() []catalog.Plan {
		return []catalog.Plan{monthly("solo", "Solo", 900), monthly("team", "Team", 4900)}
	}
	shown, err := svc.DiffCatalog(t.Context(), by, file())
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"solo": {"created"}, "team": {"created"}}, fields(shown))

	var waiters sync.WaitGroup // two pipelines at the same time
	created := make([]int, 2)
	for i := range created {
		waiters.Go(func() {
			changes, err := svc.ApplyCatalog(t.Context(), by, file())
			if err == nil {
				created[i] = len(changes)
			}
		})
	}
	waiters.Wait()
	require.ElementsMatch(t, []int{2, 0}, created, "one creates the plans, the other finds them")
	require.Equal(t, 2, s.count(t, `select count(*) from plans where version = 1`))
	require.Equal(t, 2, s.count(t, `select count(*) from events where type = 'plan.created'`))

	changed := file()
	changed[1].Name, changed[1].TrialDays, changed[1].Prices = "Teams", 14, []plan.Price{plan.Flat("", "Base", 5900)}
	shown, err = svc.DiffCatalog(t.Context(), by, changed[1:])
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"solo": {"active"}, "team": {"name", "prices", "trialDays"}}, fields(shown))
	done, err := svc.ApplyCatalog(t.Context(), by, changed[1:])
	require.NoError(t, err)
	require.Equal(t, fields(shown), fields(done), "what was shown is what is done")
	after, err := s.Store.Plan(t.Context(), s.Env, done[0].To.ID)
	require.NoError(t, err)
	require.Equal(t, [3]any{2, "Teams", "team"}, [3]any{after.Version, after.Name, after.Key})
	again, err := svc.ApplyCatalog(t.Context(), by, changed[1:])
	require.NoError(t, err)
	require.Empty(t, again, "solo is archived already")
}

func TestApplyCatalog_RefusedChangesNothing(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	_, err := svc.ApplyCatalog(t.Context(), by, []catalog.Plan{monthly("team", "Team", 4900)})
	require.NoError(t, err)
	dollars := monthly("team", "Team", 4900)
	dollars.Currency = "USD"
	before := s.Rows(t)

	_, err = svc.ApplyCatalog(t.Context(), by, []catalog.Plan{monthly("new", "New", 100), dollars})

	require.ErrorContains(t, err, "catalog_plan_fixed")
	require.ErrorContains(t, err, "(team.currency)")
	_, err = svc.ApplyCatalog(t.Context(), by, []catalog.Plan{monthly("new", "New", -1)})
	require.ErrorContains(t, err, "(new.prices[0].amount)")
	require.Equal(t, before, s.Rows(t))
}

// What the diff says running subscriptions would renew at is what they renew at.
func TestMigrateCatalogPlan_MovesAtThePeriodsEnd(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	svc, by := at(s)
	sub, err := s.Store.Subscription(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	file := []catalog.Plan{monthly("plan", "Plan", 1500)}
	file[0].ID, file[0].Migrate = sub.PlanID, catalog.AtPeriodEnd

	shown, err := svc.DiffCatalog(t.Context(), by, file)
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"plan": {"catalogKey", "prices"}}, fields(shown))
	require.Equal(t, catalog.Effect{Running: 1, Behind: 1, Now: 1000, Then: 1500}, shown[0].Effect)

	done, err := svc.ApplyCatalog(t.Context(), by, file)
	require.NoError(t, err)
	require.Equal(t, shown[0].Effect, done[0].Effect)
	require.True(t, done[0].Moves())
	moved, err := svc.MigrateCatalogPlan(t.Context(), by, done[0])
	require.NoError(t, err)
	require.Equal(t, 1, moved.Migrated)

	again, err := svc.DiffCatalog(t.Context(), by, file)
	require.NoError(t, err)
	require.Empty(t, again, "it waits for the end of its period")
	s.Clock.Set(sub.CurrentPeriod.End)
	charge(t, s, ref)
	require.Equal(t, []money.Minor{1500, 1000}, invoices(t, s, ref), "the newest first")
	listed, err := svc.Catalog(t.Context(), by)
	require.NoError(t, err)
	require.Equal(t, [2]any{"plan", 2}, [2]any{listed[0].Key, listed[0].Version})
}

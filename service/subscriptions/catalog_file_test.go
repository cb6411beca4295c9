package subscriptions

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/db"
	servicecatalog "perennial/service/catalog"
	"perennial/service/servicetest"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// monthly is a plan of a file.
func monthly(key, name string, amount money.Minor) catalog.Plan {
	return catalog.Plan{Plan: plan.Plan{
		Key: key, Name: name, Currency: "EUR", Interval: period.Interval{Unit: period.Month, Count: 1}, Active: true,
		Prices: []plan.Price{plan.Flat("", "Base", amount)},
	}}
}

func of(plans ...catalog.Plan) servicecatalog.WantedCatalog {
	return servicecatalog.WantedCatalog{Plans: plans}
}

// fields are what changes about plans, by their keys.
func fields(changes []servicecatalog.Change) map[string][]string {
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
	shown, err := svc.Catalog.DiffCatalog(t.Context(), by, of(file()...))
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"solo": {"created"}, "team": {"created"}}, fields(shown))

	var waiters sync.WaitGroup // two pipelines at the same time
	created := make([]int, 2)
	for i := range created {
		waiters.Go(func() {
			changes, err := svc.Catalog.ApplyCatalog(t.Context(), by, of(file()...))
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
	shown, err = svc.Catalog.DiffCatalog(t.Context(), by, of(changed[1:]...))
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"solo": {"active"}, "team": {"name", "prices", "trialDays"}}, fields(shown))
	done, err := svc.Catalog.ApplyCatalog(t.Context(), by, of(changed[1:]...))
	require.NoError(t, err)
	require.Equal(t, fields(shown), fields(done), "what was shown is what is done")
	after, err := s.Store.Plan(t.Context(), s.Env, done[0].To.ID)
	require.NoError(t, err)
	require.Equal(t, [3]any{2, "Teams", "team"}, [3]any{after.Version, after.Name, after.Key})
	again, err := svc.Catalog.ApplyCatalog(t.Context(), by, of(changed[1:]...))
	require.NoError(t, err)
	require.Empty(t, again, "solo is archived already")
}

func TestApplyCatalog_RefusedChangesNothing(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	_, err := svc.Catalog.ApplyCatalog(t.Context(), by, of(monthly("team", "Team", 4900)))
	require.NoError(t, err)
	dollars := monthly("team", "Team", 4900)
	dollars.Currency = "USD"
	store, err := db.Open(t.Context(), db.Config{
		URL: s.Pool.Config().ConnString(), MaxConns: 2, Clock: s.Clock.Now,
		Limits: func(_ string, c money.Currency) money.Limits { return money.Limits{Unchargeable: c == "XAF"} },
	})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	svc = columnsOn(usecase.Base{Store: store, Now: s.Clock.Now})
	xaf := monthly("gold", "Gold", 500)
	xaf.Currency = "XAF" // which the provider of the environment does not take
	before := s.Rows(t)

	_, err = svc.Catalog.ApplyCatalog(t.Context(), by, of(monthly("new", "New", 100), dollars))

	require.ErrorContains(t, err, "catalog_plan_fixed")
	require.ErrorContains(t, err, "(team.currency)")
	_, err = svc.Catalog.ApplyCatalog(t.Context(), by, of(monthly("new", "New", -1)))
	require.ErrorContains(t, err, "(new.prices[0].amount)")
	for code, want := range map[string]servicecatalog.WantedCatalog{
		"catalog_archives_most": of(),
		"(gold.currency)":       of(monthly("team", "Team", 4900), xaf),
		"(team.currency)":       of(dollars),
	} {
		_, shown := svc.Catalog.DiffCatalog(t.Context(), by, want)
		require.ErrorContains(t, shown, code)
		_, done := svc.Catalog.ApplyCatalog(t.Context(), by, want)
		require.Equal(t, shown, done, "what the diff approves is applied")
	}
	require.Equal(t, before, s.Rows(t))
	archived, err := svc.Catalog.ApplyCatalog(t.Context(), by, servicecatalog.WantedCatalog{AllowArchive: true})
	require.NoError(t, err)
	require.Len(t, archived, 1)
}

// Of two files that are applied shortly after each other, the first one's migration does not undo the second one's.
func TestMigrateCatalogPlan_IsOvertaken(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	svc, by := at(s)
	sub, err := s.Store.Subscription(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	apply := func(amount money.Minor) servicecatalog.Change {
		t.Helper()
		p := monthly("plan", "Plan", amount)
		p.ID, p.Migrate = sub.PlanID, catalog.AtPeriodEnd
		changes, err := svc.Catalog.ApplyCatalog(t.Context(), by, of(p))
		require.NoError(t, err)
		require.Len(t, changes, 1)
		return changes[0]
	}
	waitsFor := func() int {
		t.Helper()
		sub, err = s.Store.Subscription(t.Context(), s.Env, ref.ID)
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

// What the diff says running subscriptions would renew at is what they renew at.
func TestMigrateCatalogPlan_MovesAtThePeriodsEnd(t *testing.T) {
	t.Parallel()
	s, _, ref := pays(t, scene.Capture)
	svc, by := at(s)
	sub, err := s.Store.Subscription(t.Context(), s.Env, ref.ID)
	require.NoError(t, err)
	file := []catalog.Plan{monthly("plan", "Plan", 1500)}
	file[0].ID, file[0].Migrate = sub.PlanID, catalog.AtPeriodEnd

	shown, err := svc.Catalog.DiffCatalog(t.Context(), by, of(file...))
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"plan": {"catalogKey", "prices"}}, fields(shown))
	require.Equal(t, catalog.Effect{Running: 1, Behind: 1,
		Sums: []catalog.Sum{{Currency: "EUR", Now: 1000, Then: 1500}}}, shown[0].Effect)

	done, err := svc.Catalog.ApplyCatalog(t.Context(), by, of(file...))
	require.NoError(t, err)
	require.Equal(t, shown[0].Effect, done[0].Effect)
	require.True(t, done[0].Moves())
	moved, err := svc.MigrateCatalogPlan(t.Context(), by, done[0])
	require.NoError(t, err)
	require.Equal(t, 1, moved.Migrated)

	again, err := svc.Catalog.DiffCatalog(t.Context(), by, of(file...))
	require.NoError(t, err)
	require.Empty(t, again, "it waits for the end of its period")
	s.Clock.Set(sub.CurrentPeriod.End)
	servicetest.Charge(t, s, ref)
	require.Equal(t, []money.Minor{1500, 1000}, totals(t, s, ref), "the newest first")
	listed, err := svc.Catalog.Plans(t.Context(), by)
	require.NoError(t, err)
	require.Equal(t, [2]any{"plan", 2}, [2]any{listed[0].Key, listed[0].Version})
}

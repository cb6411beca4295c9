package catalog

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/service/usecase"
)

// monthly is a plan of a file.
func monthly(key, name string, amount money.Minor) catalog.Plan {
	return catalog.Plan{Plan: plan.Plan{
		Key: key, Name: name, Currency: "EUR", Interval: period.Interval{Unit: period.Month, Count: 1}, Active: true,
		Prices: []plan.Price{plan.Flat("", "Base", amount)},
	}}
}

func of(plans ...catalog.Plan) WantedCatalog {
	return WantedCatalog{Plans: plans}
}

// fields returns the changes of plans, by their keys.
func fields(changes []Change) map[string][]string {
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
	svc, by := s.Service, s.caller
	file := func() []catalog.Plan {
		return []catalog.Plan{monthly("solo", "Solo", 900), monthly("team", "Team", 4900)}
	}
	shown, err := svc.DiffCatalog(t.Context(), by, of(file()...))
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"solo": {"created"}, "team": {"created"}}, fields(shown.Plans))

	var waiters sync.WaitGroup // two pipelines at the same time
	created := make([]int, 2)
	for i := range created {
		waiters.Go(func() {
			changes, err := svc.ApplyCatalog(t.Context(), by, of(file()...))
			if err == nil {
				created[i] = len(changes.Plans)
			}
		})
	}
	waiters.Wait()
	require.ElementsMatch(t, []int{2, 0}, created, "one creates the plans, the other finds them")
	require.Equal(t, 2, s.count(t, `select count(*) from plans where version = 1`))
	require.Equal(t, 2, s.count(t, `select count(*) from events where type = 'plan.created'`))

	changed := file()
	changed[1].Name, changed[1].TrialDays, changed[1].Prices = "Teams", 14, []plan.Price{plan.Flat("", "Base", 5900)}
	shown, err = svc.DiffCatalog(t.Context(), by, of(changed[1:]...))
	require.NoError(t, err)
	require.Equal(t, map[string][]string{"solo": {"active"}, "team": {"name", "prices", "trialDays"}}, fields(shown.Plans))
	done, err := svc.ApplyCatalog(t.Context(), by, of(changed[1:]...))
	require.NoError(t, err)
	require.Equal(t, fields(shown.Plans), fields(done.Plans), "what was shown is what is done")
	after, err := s.Store.Catalog.Plan(t.Context(), s.Env, done.Plans[0].To.ID)
	require.NoError(t, err)
	require.Equal(t, [3]any{2, "Teams", "team"}, [3]any{after.Version, after.Name, after.Key})
	again, err := svc.ApplyCatalog(t.Context(), by, of(changed[1:]...))
	require.NoError(t, err)
	require.Empty(t, again.Plans, "solo is archived already")
}

func TestApplyCatalog_RefusedChangesNothing(t *testing.T) {
	t.Parallel()
	s := newHouse(t)
	svc, by := s.Service, s.caller
	_, err := svc.ApplyCatalog(t.Context(), by, of(monthly("team", "Team", 4900)))
	require.NoError(t, err)
	dollars := monthly("team", "Team", 4900)
	dollars.Currency = "USD"
	store, err := db.Open(t.Context(), db.Config{
		URL: s.Pool.Config().ConnString(), MaxConns: 2, Clock: s.Clock.Now,
		Limits: func(_ string, c money.Currency) money.Limits { return money.Limits{Unchargeable: c == "XAF"} },
	})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	svc = New(usecase.Base{Store: store, Now: s.Clock.Now})
	xaf := monthly("gold", "Gold", 500)
	xaf.Currency = "XAF" // which the provider of the environment does not take
	before := s.Rows(t)

	_, err = svc.ApplyCatalog(t.Context(), by, of(monthly("new", "New", 100), dollars))

	require.ErrorContains(t, err, "catalog_plan_fixed")
	require.ErrorContains(t, err, "(team.currency)")
	_, err = svc.ApplyCatalog(t.Context(), by, of(monthly("new", "New", -1)))
	require.ErrorContains(t, err, "(new.prices[0].amount)")
	for code, want := range map[string]WantedCatalog{
		"catalog_archives_most": of(),
		"(gold.currency)":       of(monthly("team", "Team", 4900), xaf),
		"(team.currency)":       of(dollars),
	} {
		_, shown := svc.DiffCatalog(t.Context(), by, want)
		require.ErrorContains(t, shown, code)
		_, done := svc.ApplyCatalog(t.Context(), by, want)
		require.Equal(t, shown, done, "what the diff approves is applied")
	}
	require.Equal(t, before, s.Rows(t))
	archived, err := svc.ApplyCatalog(t.Context(), by, WantedCatalog{AllowArchive: true})
	require.NoError(t, err)
	require.Len(t, archived.Plans, 1)
}

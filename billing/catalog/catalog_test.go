package catalog_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
)

// team is a plan that is there, in its second version.
func team() plan.Plan {
	return plan.Plan{
		ID: "plan_team", Key: "team", Version: 2, Name: "Team", Currency: "EUR", Active: true, TrialDays: 14,
		Interval: period.Interval{Unit: period.Month, Count: 1}, ProductID: "prod_1",
		Metadata: metadata.Pairs{"tier": "2", "weight": json.Number("1000")},
		Prices:   []plan.Price{plan.Flat("price_1", "Base", 4900), plan.Flat("price_2", "Support", 100)},
	}
}

// described is the same plan as the file says it: without ids and versions.
func described() catalog.Plan {
	p := team()
	p.ID, p.Version, p.ProductID, p.Prices[0].ID, p.Prices[1].ID = "", 0, "", "", ""
	return catalog.Plan{Plan: p}
}

func TestDiff_NamesWhatDiffers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(*catalog.Plan)
		fields  []string
		version bool
	}{
		"nothing":  {change: func(*catalog.Plan) {}},
		"name":     {change: func(p *catalog.Plan) { p.Name = "Teams" }, fields: []string{"name"}},
		"archived": {change: func(p *catalog.Plan) { p.Active = false }, fields: []string{"active"}},
		"product": {
			change: func(p *catalog.Plan) { p.Product, p.ProductID = new(string), "" }, fields: []string{"productId"},
		},
		"notes":                {change: func(p *catalog.Plan) { p.Metadata = nil }, fields: []string{"metadata"}},
		"note in other digits": {change: func(p *catalog.Plan) { p.Metadata["weight"] = json.Number("1e3") }},
		"measure": {
			change: func(p *catalog.Plan) { p.ProrationMeasure = proration.Day }, fields: []string{"prorationMeasure"},
		},
		"order of prices": {change: func(p *catalog.Plan) { slices.Reverse(p.Prices) }},
		"price twice": {
			change: func(p *catalog.Plan) { p.Prices[1] = p.Prices[0] }, fields: []string{"prices"}, version: true,
		},
		"price": {
			change: func(p *catalog.Plan) { p.Prices[0].Amount = 5900 }, fields: []string{"prices"}, version: true,
		},
		"name of price": {change: func(p *catalog.Plan) { p.Prices[0].Name = "" }, fields: []string{"prices"}, version: true},
		"currency of prices": {change: func(p *catalog.Plan) {
			for i := range p.Prices {
				p.Prices[i].Currencies = plan.Currencies{"XAF": {Amount: 3000}}
			}
		}, fields: []string{"prices"}, version: true},
		"trial": {change: func(p *catalog.Plan) { p.TrialDays = 7 }, fields: []string{"trialDays"}, version: true},
		"trial's end": {
			change: func(p *catalog.Plan) { p.TrialEnd = plan.TrialEndPause },
			fields: []string{"trialEndBehavior"}, version: true,
		},
		"trial's end as it is": {change: func(p *catalog.Plan) { p.TrialEnd = plan.TrialEndInvoice }},
		"several": {
			change: func(p *catalog.Plan) { p.Name, p.TrialDays = "Teams", 0 }, fields: []string{"name", "trialDays"},
			version: true,
		},
		"another key": {change: func(p *catalog.Plan) { p.ID, p.Key = "plan_team", "teams" }, fields: []string{"catalogKey"}},
	} {
		want := described()
		c.change(&want)

		got, err := catalog.Diff([]plan.Plan{team()}, []catalog.Plan{want})

		require.NoError(t, err, name)
		require.Len(t, got, 1, name)
		require.Equal(t, c.fields, got[0].Fields, name)
		require.Equal(t, len(c.fields) > 0, got[0].Differs(), name)
		require.Equal(t, c.version, got[0].NewVersion(), name)
		require.Equal(t, [3]any{"plan_team", want.Name, want.TrialDays},
			[3]any{got[0].To.ID, got[0].To.Name, got[0].To.TrialDays}, name)
		if name != "product" {
			require.Equal(t, "prod_1", got[0].To.ProductID, "the file does not name another one")
		}
	}
}

func TestDiff_CreatesAdoptsAndArchives(t *testing.T) {
	t.Parallel()
	gone, loose := team(), team()
	gone.ID, gone.Key = "plan_gone", "gone"
	loose.ID, loose.Key = "plan_loose", "" // created through the API
	created, adopted := described(), described()
	created.Key = "new"
	adopted.Key, adopted.ID = "loose", "plan_loose"

	got, err := catalog.Diff([]plan.Plan{team(), gone, loose}, []catalog.Plan{created, described(), adopted})

	require.NoError(t, err)
	require.Len(t, got, 4)
	require.Nil(t, got[0].Was)
	require.False(t, got[1].Differs())
	require.Equal(t, []string{"catalogKey"}, got[2].Fields)
	require.Equal(t, "loose", got[2].To.Key)
	require.Equal(t, "plan_gone", got[3].To.ID)
	require.False(t, got[3].To.Active)
	gone.Active = false
	got, err = catalog.Diff([]plan.Plan{gone, loose}, nil)
	require.NoError(t, err)
	require.Empty(t, got, "what is archived already, or was never the file's, stays")
}

func TestDiff_Refusals(t *testing.T) {
	t.Parallel()
	other := team()
	other.ID, other.Key = "plan_other", "other"
	for name, c := range map[string]struct {
		change      func(*catalog.Plan)
		code, param string
	}{
		"currency":           {func(p *catalog.Plan) { p.Currency = "USD" }, "catalog_plan_fixed", "team.currency"},
		"interval":           {func(p *catalog.Plan) { p.Interval.Count = 3 }, "catalog_plan_fixed", "team.interval"},
		"kind":               {func(p *catalog.Plan) { p.AddOn, p.TrialDays = true, 0 }, "catalog_plan_fixed", "team.kind"},
		"no such id":         {func(p *catalog.Plan) { p.ID = "plan_absent" }, "catalog_plan_not_found", "team.id"},
		"another plan's key": {func(p *catalog.Plan) { p.ID = "plan_other" }, "catalog_plan_repeated", "team.id"},
		"one plan twice": {
			func(p *catalog.Plan) { p.Key, p.ID = "second", "plan_team" }, "catalog_plan_repeated", "second.id",
		},
	} {
		want := described()
		c.change(&want)

		file := []catalog.Plan{want}
		if name == "one plan twice" {
			file = append([]catalog.Plan{described()}, file...)
		}
		_, err := catalog.Diff([]plan.Plan{team(), other}, file)

		var f *fault.Error
		require.ErrorAs(t, err, &f, name)
		require.Equal(t, [2]string{c.code, c.param}, [2]string{f.Code, f.Param}, name)
	}
}

func TestDiff_RefusesWhatCannotBeMade(t *testing.T) {
	t.Parallel()
	worn, want := team(), described()
	worn.Version = plan.MaxVersions
	want.TrialDays++

	_, err := catalog.Diff([]plan.Plan{worn}, []catalog.Plan{want})

	require.ErrorContains(t, err, "plan_versions_exhausted")
	require.ErrorContains(t, err, "(team)")
}

func TestCheck_Key(t *testing.T) {
	t.Parallel()
	for key, good := range map[string]bool{
		"team": true, "team-2.eu_west": true, "": false, "Team": false, "-team": false, "a b": false,
	} {
		p := described()
		p.Key = key
		if good {
			require.NoError(t, p.Check(), key)
		} else {
			require.ErrorContains(t, p.Check(), "catalog_key_invalid", key)
		}
	}
	p := described()
	p.Prices = nil
	require.ErrorContains(t, p.Check(), "prices_count_out_of_range")
}

func TestEffectOf_CountsWhoWouldMove(t *testing.T) {
	t.Parallel()
	dec := func(s string) money.Decimal {
		d, err := money.ParseDecimal(s)
		require.NoError(t, err)
		return d
	}
	seats := func(version int, unit string) plan.Plan {
		p := team()
		p.Version = version
		p.Prices = p.Prices[:1]
		p.Prices[0].Model, p.Prices[0].Amount, p.Prices[0].UnitPrice = "per_unit", 0, dec(unit)
		return p
	}
	to := seats(3, "6")
	to.Prices[0].Currencies = plan.Currencies{"XAF": {UnitPrice: dec("4000")}}
	abroad := seats(1, "4")
	abroad.Prices[0].Currencies = plan.Currencies{"USD": {UnitPrice: dec("3")}, "XAF": {UnitPrice: dec("3000")}}
	toThis := func(version int) plan.Ref { return plan.Ref{ID: "plan_team", Version: version} }

	got := catalog.EffectOf(to, []plan.Plan{abroad, seats(2, "5")}, []catalog.Running{
		{Currency: "XAF", Version: 1, Quantity: 2, Count: 3}, // 6000 → 8000
		// the version is not sold in dollars
		{Currency: "USD", Version: 1, Quantity: 2, Count: 1},
		{Currency: "EUR", Version: 1, Quantity: 2, Count: 10}, // 80.00 → 120.00
		{Currency: "EUR", Version: 2, Quantity: 3, Count: 1},  // 15.00 → 18.00
		// 5.00 → 6.00: it moves already, but elsewhere
		{Currency: "EUR", Version: 1, Quantity: 1, Pending: toThis(2), Count: 1},
		{Currency: "EUR", Version: 1, Quantity: 1, Pending: toThis(3), Count: 1},              // moves here
		{Currency: "EUR", Version: 3, Quantity: 9, Count: 4},                                  // is here
		{Currency: "EUR", Version: 1, Quantity: 1, Ends: true, Count: 2},                      // ends
		{Currency: "EUR", Version: 1, Pending: plan.Ref{ID: "plan_x"}, Quantity: 1, Count: 1}, // leaves the plan
		// would cost more than there is
		{Currency: "EUR", Version: 1, Quantity: 1 << 60, Count: 2},
	})

	require.Equal(t, catalog.Effect{Running: 26, Behind: 18, Leaving: 3, Unmovable: 2, Unoffered: 1, Sums: []catalog.Sum{
		{Currency: "EUR", Now: 10000, Then: 14400}, {Currency: "XAF", Now: 18000, Then: 24000},
	}}, got)
}

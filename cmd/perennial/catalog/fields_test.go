package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/period"
	billing "perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/rating"
	servicecatalog "perennial/service/catalog"
	"perennial/service/subscriptions"
)

func shownPlan() billing.Plan {
	return billing.Plan{
		ID: "plan_1", Key: "team", Name: "Team", Currency: "EUR", Active: true, Version: 1,
		Interval: period.Interval{Unit: period.Month, Count: 1},
		Metadata: metadata.Pairs{"tier": "2", "old": true, "n": json.Number("1.0")},
		Prices:   []billing.Price{billing.Flat("", "Base", 4900), billing.Flat("", "Seat", 100)},
	}
}

// calls are metered prices with a commitment; 0: without one.
func calls(commitment money.Minor) *metered.Prices {
	p := metered.Prices{Components: []metered.Component{{MetricName: "calls", Rates: []metered.Rate{
		{Price: rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(2)}},
	}}}}
	if commitment > 0 {
		p.Commitment = &metered.Commitment{Amount: commitment}
	}
	return &p
}

func TestDescribeChange_SaysBeforeAndAfter(t *testing.T) {
	t.Parallel()
	policy := dunning.Default()
	for field, c := range map[string]struct {
		change func(*billing.Plan)
		want   string
	}{
		"name": {
			func(p *billing.Plan) { p.Name = "Teams" },
			`    name: "Team" becomes "Teams"; takes effect now for 7 running subscriptions` + "\n",
		},
		"active": {
			func(p *billing.Plan) { p.Active = false }, "    active: true becomes false, archived: no new subscriptions\n",
		},
		"productId": {
			func(p *billing.Plan) { p.ProductID = "prod_1" }, "    product: becomes the one that the file names\n",
		},
		"trialDays": {
			func(p *billing.Plan) { p.TrialDays = 14 }, "    new version: trialDays 0 becomes 14, for new subscriptions\n",
		},
		"trialEndBehavior": {
			func(p *billing.Plan) { p.TrialEnd = billing.TrialEndPause },
			"    new version: trialEndBehavior invoice becomes pause, for new subscriptions\n",
		},
		"dunning": {
			func(p *billing.Plan) { p.Dunning = &policy },
			`    dunning: the environment's becomes {"retryBaseSeconds":86400,"retryFactor":2,"retryCount":3,"retryJitterSeconds":`,
		},
		"prorationMeasure": {
			func(p *billing.Plan) { p.ProrationMeasure = proration.Day },
			"    prorationMeasure: the environment's becomes day; takes effect with the next period of 7 running subscriptions\n",
		},
		"metadata": {
			func(p *billing.Plan) {
				p.Metadata = metadata.Pairs{"tier": json.Number("2"), "new": nil, "n": json.Number("1")}
			},
			"    metadata.new: null, new\n    metadata.old: true is removed\n    metadata.tier: \"2\" becomes 2\n    7 running",
		},
		"prices": {
			func(p *billing.Plan) { p.Prices = []billing.Price{p.Prices[1], p.Prices[1], p.Prices[0]} },
			"    new version: prices\n      + Seat: flat 1.00\n    7 running",
		},
		"meteredPrices": {
			func(p *billing.Plan) { p.Metered = calls(0) },
			"    new version: meteredPrices\n      + calls: per_unit 2\n    7 running",
		},
		"commitment": {
			func(p *billing.Plan) { p.Metered = calls(5000) }, "    new version: commitment none becomes 50.00\n    7 running",
		},
		"features": {
			func(p *billing.Plan) { p.Features = billing.Features{{Key: "sso"}} },
			"    features: none becomes sso; takes effect now for 7 running subscriptions\n",
		},
	} {
		was, to := shownPlan(), shownPlan()
		c.change(&to)
		got := describeChange(servicecatalog.Change{
			Change: catalog.Change{Was: &was, To: to, Fields: []string{field}}, Effect: catalog.Effect{Running: 7},
		}, false)
		require.Contains(t, got, c.want)
	}
	to := shownPlan()
	to.TrialEnd = billing.TrialEndCancel
	to.TrialDays, to.Active, to.Dunning, to.ProrationMeasure = 14, false, &policy, proration.Day

	got := describeChange(servicecatalog.Change{Change: catalog.Change{To: to}}, false)

	for _, want := range []string{
		"    trialDays: 14\n", "    trialEndBehavior: cancel\n", `    dunning: {"`, "    prorationMeasure: day\n",
		"    metadata.tier: \"2\"\n", "    active: false",
	} {
		require.Contains(t, got, want)
	}
}

func TestDescribeChange_SaysWhoCannotBeMoved(t *testing.T) {
	t.Parallel()
	was := shownPlan()
	c := servicecatalog.Change{
		Change: catalog.Change{Was: &was, To: was, Migrate: catalog.AtPeriodEnd},
		Effect: catalog.Effect{Running: 9, Behind: 4, Unmovable: 2, Unoffered: 1, Sums: []catalog.Sum{
			{Currency: "EUR", Now: 1000, Then: 1500}, {Currency: "XAF", Now: 700, Then: 800},
		}},
	}
	got := describeChange(c, false)
	require.Contains(t, got, "2 of them cannot be moved: ")
	require.Contains(t, got, "1 of them cannot be moved: the newest version is not sold in their currency, only in EUR\n")
	require.Contains(t, got, money.Format(1500, "EUR"))
	require.Contains(t, got, "700 XAF as they are, 800 XAF on the newest version")
	c.Sums = nil
	require.NotContains(t, describeChange(c, false), "next periods")
}

func TestShowMoved_TellsRefusals(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	moved := subscriptions.PlanMigrated{Migrated: 5, Refused: []subscriptions.MigrationRefused{
		{SubscriptionID: "sub_1", Reason: fault.New(fault.Conflict, "renewal_due", "Later.")},
	}}
	require.NoError(t, showMoved(&out, servicecatalog.Change{Change: catalog.Change{To: shownPlan()}}, moved, true))
	require.Equal(t,
		"team: 5 subscriptions move at the end of their period, 1 refused\n  sub_1 stays: Later. [renewal_due]\n"+
			"  stopped, the others are left as they are: The plan has a newer version by now, which its subscriptions are moved to "+
			"instead. [plan_version_superseded]\n", out.String())
}

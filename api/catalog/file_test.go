package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/money"
	"perennial/billing/plan"
)

const catalogText = `plans:
  solo:
    name: Solo
    currency: XAF
    interval: month
    amount: 5000
    migrate: true
  team-yearly:
    id: plan_01jcz6dyqx4w9s1c2k7v5h8m3n
    name: Team, yearly
    currency: EUR
    interval: month
    intervalCount: 12
    trialDays: 14
    trialEndBehavior: pause
    active: false
    prorationMeasure: fixed_30
    prices:
      - {name: Base, amount: 0, currencies: {XAF: {}}}
      - name: Seats
        model: graduated
        included: 3
        minimum: 1000
        tiers: [{upTo: 10, unitAmount: 450}, {unitAmount: "400", flatAmount: 100}]
        currencies:
          XAF: {minimum: 6000, tiers: [{unitAmount: 2950.5}, {unitPrice: 2600, flatAmount: 65000}]}
    dunning: {retryGapDays: [1, 3], finalAction: cancel, cancelAfterDays: 30}
    metadata: {tier: 2, note: "1.50", ratio: 1.50, on: true}
    migrate: preview
`

func TestReadFile_IsWhatTheFileSays(t *testing.T) {
	t.Parallel()
	file, err := ReadFile("catalog.yaml", []byte(catalogText))
	require.NoError(t, err)
	require.Len(t, file.Plans, 2)
	require.Equal(t, []string{"catalog.yaml:26: plans.team-yearly.prices[1].currencies.XAF.tiers[1].unitPrice: unitPrice is in major " +
		"units and will be refused in a later version. Send unitAmount, which is in minor units: 2600 instead of 2600. [field_deprecated]"},
		file.Warnings)
	solo, team := file.Plans[0], file.Plans[1]
	require.Equal(t, []any{"solo", true, catalog.AtPeriodEnd, "month"},
		[]any{solo.Key, solo.Active, solo.Migrate, string(solo.Interval.Unit)})
	require.Equal(t, []any{"team-yearly", "plan_01jcz6dyqx4w9s1c2k7v5h8m3n", false, catalog.Preview, 12, 14},
		[]any{team.Key, team.ID, team.Active, team.Migrate, team.Interval.Count, team.TrialDays})
	require.Equal(t, plan.TrialEndPause, team.TrialEnd)
	require.Equal(t, "4.5", team.Prices[1].Tiers[0].UnitPrice.String())
	require.Equal(t, "2950.5", team.Prices[1].Currencies["XAF"].Tiers[0].UnitPrice.String())
	require.Equal(t, []money.Currency{"EUR", "XAF"}, team.Currencies())
	require.Equal(t, 2, team.Dunning.Retry.Retries)
	require.Equal(t, "1.50", team.Metadata["note"])
	require.NoError(t, team.Metadata.Check())
}

// An export that is read again describes the same plans.
func TestWriteFile_IsReadBackAsItWas(t *testing.T) {
	t.Parallel()
	file, err := ReadFile("catalog.yaml", []byte(catalogText))
	require.NoError(t, err)
	var plans []plan.Plan
	for _, p := range file.Plans {
		p.ID = "plan_01jcz6dyqx4w9s1c2k7v5h8m3n"
		plans = append(plans, p.Plan)
	}
	loose, second := plans[0], plans[0]
	loose.Key, second.Key = "", ""

	text, err := WriteFile(append(plans, loose, second), catalog.Items{}, true)

	require.NoError(t, err)
	back, err := ReadFile("out.yaml", text)
	require.NoError(t, err, string(text))
	require.Empty(t, back.Warnings, string(text))
	held := plans
	for i := range held {
		held[i].ID, held[i].ProductID = held[i].Key, "prod_1"
	}
	require.NotContains(t, string(text), "prod")
	changes, err := catalog.Diff(held, back.Plans[:2])
	require.NoError(t, err)
	for _, c := range changes {
		require.Empty(t, c.Fields, c.To.Key)
	}
	require.Equal(t, []string{"solo-2", "solo-3"}, []string{back.Plans[2].Key, back.Plans[3].Key})
	require.Equal(t, loose.ID, back.Plans[2].ID, "it is adopted")
	text, err = WriteFile([]plan.Plan{loose}, catalog.Items{}, false)
	require.NoError(t, err)
	require.NotContains(t, string(text), "plan_")
}

func TestReadFile_NamesLineAndKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ was, is, want string }{
		{"amount: 5000", "amount: 5000.5", "c.yaml:6: plans.solo.amount: "},
		{
			"amount: 5000", "amout: 5000",
			"c.yaml:6: plans.solo.amout: `amout` is not a field of this file. Did you mean `amount`?",
		},
		{"unitAmount: 450", "unitAmount: much", "c.yaml:24: plans.team-yearly.prices[1].tiers[0].unitAmount: "},
		{"upTo: 10,", "upTo: -1,", "c.yaml:24: plans.team-yearly.prices[1].tiers[0].upTo: "},
		{"interval: month\n    amount", "interval: monthly\n    amount", "c.yaml:5: plans.solo.interval: "},
		{"currency: XAF", "currency: xaf", "c.yaml:4: plans.solo.currency: "},
		{"migrate: true", "migrate: maybe", "c.yaml:7: plans.solo.migrate: "},
		{"  solo:", "  Solo:", "c.yaml:2: plans.Solo: A key has"},
		{"name: Solo", "name: [Solo]", "c.yaml:3: plans.solo.name: "},
		{"name: Solo", "currency: EUR", "c.yaml:4: plans.solo.currency: it is there twice, first on line 3"},
		{"    name: Solo\n", "", "c.yaml:2: plans.solo.name: `name` is required."},
		{"id: plan_01", "id: pla_01", "c.yaml:9: plans.team-yearly.id: "},
		{"unitAmount: 2950.5", "unitAmount: much",
			"c.yaml:26: plans.team-yearly.prices[1].currencies.XAF.tiers[0].unitAmount: "},
		{"{minimum: 6000, tiers", "{tiers", "c.yaml:26: plans.team-yearly.prices[1].currencies.XAF"},
		{"currencies: {XAF: {}}", "currencies: {}",
			"plans.team-yearly.prices[0].currencies.XAF: The plan is sold in XAF only if all its prices are."},
		{"minimum: 6000", "minimun: 6000", "Did you mean `prices[1].currencies.XAF.minimum`?"},
		{"finalAction: cancel", "finalAction: stop", "c.yaml:27: plans.team-yearly.dunning.finalAction: "},
		{"plans:", "plan:", "c.yaml:1: the file must have `plans`"},
		{"plans:", "prices: {}\nplans:",
			"c.yaml:1: prices: a catalogue file has products, taxRates, metrics, plans, coupons and nothing else"},
		{"plans:", "products: []\nplans:", "c.yaml:1: products: it must be a mapping of keys; `products: {}` has none"},
		{"    currency: XAF", "\tcurrency: XAF", "c.yaml:3: found a tab character"},
		{"    id: plan_01", "---\nplans:\n  x:\n    id: plan_01", "c.yaml:9: a second document begins here"},
		{"name: Solo", "<<: {name: Solo}", "c.yaml:3: plans.solo: merge keys (<<) are not supported"},
		{"name: Solo", "productId: prod_1", "c.yaml:3: plans.solo.productId: `productId` is not a field of this file."},
		{"    migrate: preview", "  more: 5", "c.yaml:29: plans.more: It must be a mapping of fields to values."},
	} {
		require.Contains(t, catalogText, c.was)
		_, err := ReadFile("c.yaml", []byte(strings.Replace(catalogText, c.was, c.is, 1)))
		require.ErrorContains(t, err, c.want)
	}
}

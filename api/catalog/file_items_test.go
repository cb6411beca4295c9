package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/plan"
)

const itemsText = `products:
  mail: {name: Mail, taxCategory: saas, metadata: {tier: 2}}
  old: {id: prod_01jcz6dyqx4w9s1c2k7v5h8m3n, name: Old, active: false}
taxRates:
  de: {name: USt, percent: 19, country: DE, inclusive: true, validFrom: 1767225600}
  de-2025: {name: USt, percent: "16.5", country: DE, archived: true}
metrics:
  api_calls:
    displayName: API calls
    aggregation: sum
    groupBy: [region]
    filter: {exclude: [{status: ["500"]}]}
    conversion: {divideBy: 1000, rounding: up}
  seats: {aggregation: last}
plans:
  team:
    name: Team
    currency: EUR
    interval: month
    product: mail
    amount: 4900
coupons:
  WELCOME: {percent: 20, duration: repeating, periods: 3, plans: [team], maxRedemptions: 500}
  "10OFF": {name: Ten off, amount: 1000, currency: EUR, duration: once, redeemBy: 1798761600, active: false}
`

// A file is read, and an export of what it describes is read as the same.
func TestFile_Items(t *testing.T) {
	t.Parallel()
	file, err := ReadFile("c.yaml", []byte(itemsText))
	require.NoError(t, err)
	require.Equal(t, "mail", *file.Plans[0].Product)
	require.Equal(t, []any{"saas", true, "old", false, "prod_01jcz6dyqx4w9s1c2k7v5h8m3n"}, []any{
		string(file.Items.Products[0].Value.TaxCategory), file.Items.Products[0].Value.Active, file.Items.Products[1].Key,
		file.Items.Products[1].Value.Active, file.Items.Products[1].ID,
	})
	require.Equal(t, []any{"19", true, "16.5", false}, []any{
		file.Items.TaxRates[0].Value.Percent.String(), file.Items.TaxRates[0].Value.ArchivedAt.IsZero(),
		file.Items.TaxRates[1].Value.Percent.String(), file.Items.TaxRates[1].Value.ArchivedAt.IsZero(),
	})
	require.Equal(t, []any{"api_calls", "API calls", "1000", "seats", "seats"}, []any{
		file.Items.Metrics[0].Value.Name, file.Items.Metrics[0].Value.DisplayName,
		file.Items.Metrics[0].Value.Conversion.DivideBy.String(), file.Items.Metrics[1].Key,
		file.Items.Metrics[1].Value.DisplayName,
	})
	require.Equal(t, []any{"WELCOME", "WELCOME", []string{"team"}, "10OFF", "Ten off", false}, []any{
		file.Items.Coupons[0].Value.Code, file.Items.Coupons[0].Value.Name, file.Items.Coupons[0].Value.PlanIDs,
		file.Items.Coupons[1].Key, file.Items.Coupons[1].Value.Name, file.Items.Coupons[1].Value.Active,
	})

	held := file.Items
	for i := range held.Products {
		held.Products[i].ID = held.Products[i].Key
		held.Products[i].Value.ID = held.Products[i].Key
	}
	for i := range held.TaxRates {
		held.TaxRates[i].ID, held.Metrics[i].ID, held.Coupons[i].ID = held.TaxRates[i].Key, held.Metrics[i].Key, held.Coupons[i].Key
	}
	held.Coupons[0].Value.PlanIDs = []string{"plan_1"}
	p := file.Plans[0].Plan
	p.ID, p.ProductID = "plan_1", "mail"
	text, err := WriteFile([]plan.Plan{p}, held, true)

	require.NoError(t, err)
	back, err := ReadFile("out.yaml", text)
	require.NoError(t, err, string(text))
	require.Equal(t, "mail", *back.Plans[0].Product)
	require.Equal(t, []string{"team"}, back.Items.Coupons[0].Value.PlanIDs)
	back.Items.Coupons[0].Value.PlanIDs = []string{"plan_1"}
	changes, err := catalog.DiffItems(held, back.Items, false)
	require.NoError(t, err)
	for _, differs := range []bool{
		changes.Products[0].Differs(), changes.Products[1].Differs(), changes.TaxRates[0].Differs(),
		changes.TaxRates[1].Differs(), changes.Metrics[0].Differs(), changes.Metrics[1].Differs(),
		changes.Coupons[0].Differs(), changes.Coupons[1].Differs(),
	} {
		require.False(t, differs, string(text))
	}
}

// Objects without a key get one of their names, and the plans of a product the same key.
func TestWriteFile_GivesItemsKeys(t *testing.T) {
	t.Parallel()
	items := catalog.Items{Products: []catalog.Item[plan.Product]{
		{ID: "prod_1", Value: plan.Product{ID: "prod_1", Name: "Mail!", Active: true}},
		{ID: "prod_2", Value: plan.Product{ID: "prod_2", Name: "Mail?", Active: true}},
	}}
	p := plan.Plan{ID: "plan_1", Name: "Team", Currency: "EUR", ProductID: "prod_2", Prices: []plan.Price{plan.Flat("", "", 1)}}

	text, err := WriteFile([]plan.Plan{p}, items, false)

	require.NoError(t, err)
	require.Contains(t, string(text), "product: mail-2")
	require.NotContains(t, string(text), "prod_")
	require.NotContains(t, string(text), "coupons")
	text, err = WriteFile([]plan.Plan{p}, items, true)
	require.NoError(t, err)
	require.Contains(t, string(text), "mail-2:\n    id: prod_2")
}

func TestReadFile_ItemsNameLineAndKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ was, is, want string }{
		{"percent: 19", "percent: 190", "c.yaml:5: taxRates.de.percent: "},
		{"percent: 19", "percent: much", "c.yaml:5: taxRates.de"},
		{"name: Mail,", "", "c.yaml:2: products.mail.name: `name` is required."},
		{"  mail: {", "  Mail: {", "c.yaml:2: products.Mail: A key has"},
		{"id: prod_", "id: plan_", "c.yaml:3: products.old.id: "},
		{"aggregation: sum", "aggregation: add", "c.yaml:10: metrics.api_calls.aggregation: "},
		{"divideBy: 1000", "divideBy: -1", "c.yaml:13: metrics.api_calls.conversion"},
		{"  seats:", "  9seats:", "c.yaml:14: metrics.9seats.name: "},
		{"duration: once", "duration: twice", "c.yaml:24: coupons.10OFF.duration: "},
		{"  WELCOME:", "  WEL COME:", "c.yaml:23: coupons.WEL COME.code: "},
		{"currency: EUR, duration", "duration", "c.yaml:24: coupons.10OFF.currency: "},
		{"plans: [team]", "planIds: [team]", "c.yaml:23: coupons.WELCOME.planIds: `planIds` is not a field of this file."},
	} {
		require.Contains(t, itemsText, c.was)
		_, err := ReadFile("c.yaml", []byte(strings.Replace(itemsText, c.was, c.is, 1)))
		require.ErrorContains(t, err, c.want)
	}
}

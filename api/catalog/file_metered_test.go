package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/catalog"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
)

// A file has the prices of usage in further currencies, and an export has the same.
func TestFile_MeteredPricesInCurrencies(t *testing.T) {
	t.Parallel()
	file, err := ReadFile("c.yaml", []byte(`plans:
  calls:
    name: Calls
    currency: EUR
    interval: month
    prices: [{amount: 0, currencies: {USD: {}}}]
    meteredPrices:
      - metricName: api_calls
        rates:
          - {model: per_unit, unitAmount: 0.35, currencies: {USD: {unitAmount: 0.4}}}
    commitment: {amount: 5000, currencies: {USD: {amount: 5500}}}
`))
	require.NoError(t, err)
	read := file.Plans[0].Plan
	require.Equal(t, []string{"api_calls: per_unit 0.0035", "api_calls: per_unit 0.004 in USD"}, catalog.DescribeMetered(read))
	require.Equal(t, "50.00, 55.00 in USD", catalog.DescribeCommitment(read))

	read.ID = "plan_01jcz6dyqx4w9s1c2k7v5h8m3n"
	text, err := WriteFile([]plan.Plan{read}, catalog.Items{}, true)

	require.NoError(t, err)
	back, err := ReadFile("out.yaml", text)
	require.NoError(t, err, string(text))
	changes, err := catalog.Diff([]plan.Plan{read}, back.Plans)
	require.NoError(t, err)
	require.Empty(t, changes[0].Fields)
	back.Plans[0].Metered.Components[0].Rates[0].Currencies["USD"] = rating.Amounts{UnitPrice: money.Whole(1)}
	changes, err = catalog.Diff([]plan.Plan{read}, back.Plans)
	require.NoError(t, err)
	require.Equal(t, []string{"meteredPrices"}, changes[0].Fields)
}

const meteredText = `plans:
  calls:
    name: Calls
    currency: EUR
    interval: month
    amount: 0
    meteredPrices:
      - name: Calls
        metricName: api_calls
        rates:
          - {where: {region: eu}, by: [tier], model: per_unit, unitAmount: 0.35, included: 1000}
          - model: graduated
            tiers: [{upTo: 10, unitAmount: 2}, {packageSize: 5, packageAmount: 7.5}]
    commitment: {amount: 5000, overageFactor: 0.8}
    features: [{key: sso}, {key: projects, limit: 10, perUnit: true}]
`

// A file describes percentages, and an export has the same.
func TestFile_Percentages(t *testing.T) {
	t.Parallel()
	file, err := ReadFile("c.yaml", []byte(`plans:
  payments:
    name: Payments
    currency: EUR
    interval: month
    amount: 0
    meteredPrices:
      - metricName: paid
        rates:
          - model: percentage
            where: {kind: card}
            percent: 2.9
            transactions: {feeAmount: 30, minimumAmount: 50, maximumAmount: 2000, free: 10, freeAmount: 100000}
          - {model: graduated_percentage, tiers: [{upTo: 10000, percent: 1.5}, {percent: 0.25, flatAmount: 100}]}
`))
	require.NoError(t, err)
	read := file.Plans[0].Plan
	require.Equal(t, []string{
		"paid: percentage 2.9 %, 0.3 for each, each at least 0.5, each at most 20, the first 10 free, " +
			"the first 1000 of their sum free, where kind is card",
		"paid: graduated_percentage; up to 10000 1.5 %; beyond 0.25 % + 1.00 flat",
	}, catalog.DescribeMetered(read))

	read.ID = "plan_01jcz6dyqx4w9s1c2k7v5h8m3n"
	text, err := WriteFile([]plan.Plan{read}, catalog.Items{}, true)

	require.NoError(t, err)
	back, err := ReadFile("out.yaml", text)
	require.NoError(t, err, string(text))
	changes, err := catalog.Diff([]plan.Plan{read}, back.Plans)
	require.NoError(t, err)
	require.Empty(t, changes[0].Fields)
}

// A file describes metered prices and features, and an export has the same.
func TestFile_MeteredPricesAndFeatures(t *testing.T) {
	t.Parallel()
	file, err := ReadFile("c.yaml", []byte(meteredText))
	require.NoError(t, err)
	read := file.Plans[0].Plan
	require.Equal(t, "0.0035", read.Metered.Components[0].Rates[0].Price.UnitPrice.String())
	require.Equal(t, []string{"flat 0.00"}, catalog.DescribeAll(read))
	require.Equal(t, []string{
		"Calls: per_unit 0.0035, 1000 included, where region is eu, by tier",
		"Calls: graduated; up to 10 0.02 each; beyond 0.075 for 5",
	}, catalog.DescribeMetered(read))
	require.Equal(t, "50.00, beyond it times 0.8", catalog.DescribeCommitment(read))
	require.Equal(t, "sso, projects 10 per unit", catalog.DescribeFeatures(read.Features))

	held := read
	held.ID = "plan_01jcz6dyqx4w9s1c2k7v5h8m3n"
	held.Metered.Components[0].MetricVersionID = "met_1.2" // as a version has it that was made of the file
	text, err := WriteFile([]plan.Plan{held}, catalog.Items{}, true)

	require.NoError(t, err)
	back, err := ReadFile("out.yaml", text)
	require.NoError(t, err, string(text))
	changes, err := catalog.Diff([]plan.Plan{held}, back.Plans)
	require.NoError(t, err)
	require.Empty(t, changes[0].Fields)
	require.Equal(t, "met_1.2", changes[0].To.Metered.Components[0].MetricVersionID, "the one that counts by now stays")
	back.Plans[0].Metered.Commitment.Amount++
	changes, err = catalog.Diff([]plan.Plan{held}, back.Plans)
	require.NoError(t, err)
	require.Equal(t, []string{"commitment"}, changes[0].Fields)
	require.True(t, changes[0].NewVersion())
	back.Plans[0].Metered.Commitment.Amount--
	back.Plans[0].Features = back.Plans[0].Features[:1]
	changes, err = catalog.Diff([]plan.Plan{held}, back.Plans)
	require.NoError(t, err)
	require.Equal(t, []string{"features"}, changes[0].Fields)
	require.False(t, changes[0].NewVersion(), "features are of all versions")
}

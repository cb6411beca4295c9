package moving

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/test/scene"
)

const soldFile = `{"type":"coupon","id":"k-1","code":"HALF","percent":"50","duration":"once","plans":["Pro"]}
{"type":"plan","id":"p-1","name":"Pro","product":"x-1","currency":"EUR","interval":"month","prices":[{"model":"flat","amount":1000}]}
{"type":"plan","id":"p-1","version":2,"name":"Pro","currency":"EUR","interval":"month","prices":[{"model":"flat","amount":1500}],` +
	`"metered":{"components":[{"metricName":"calls","rates":[{"price":{"model":"per_unit","unitPrice":"2"}}]}]}}
{"type":"metric","id":"m-1","name":"calls","aggregation":"sum"}
{"type":"metric","id":"m-1","version":2,"name":"calls","aggregation":"sum","groupBy":["region"]}
{"type":"product","id":"x-1","catalogKey":"pro","name":"Pro","taxCategory":"saas"}
{"type":"tax_rate","id":"t-1","catalogKey":"de","name":"USt","percent":"19","country":"DE"}`

var soldIDs = []string{"k-1", "p-1", "p-1.2", "m-1", "m-1.2", "x-1", "t-1"}

// What is sold is imported in the order in which it names each other, whatever that of the file, and once.
func TestImport_Sold(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	file := append(strings.Split(soldFile, "\n"), customerOf(1),
		subscriptionOf(1, `,"plan":"Pro","planVersion":1,"coupons":[{"code":"HALF"}]`))
	for _, o := range []ImportOptions{{DryRun: true, Batch: 1}, {}} {
		out := svc.imported(t, by, o, file...)
		for _, external := range append(soldIDs, "c-1", "s-1") {
			require.Equal(t, "imported", out.outcomes[external], external)
		}
		if o.DryRun {
			require.Equal(t, money.Minor(500), out.next["s-1"].Total, "of the first version")
			require.Zero(t, rows(t, s, "plans"))
		}
	}
	p, err := s.Store.Catalog.Plan(t.Context(), s.Env, planNamed(t, s, "Pro"))
	require.NoError(t, err)
	m, err := s.Store.Usage.ServedMetric(t.Context(), s.Env, "calls")
	require.NoError(t, err)
	require.Equal(t, []any{2, m.VersionID(), 2}, []any{p.Version, p.Metered.Components[0].MetricVersionID, m.Version})
	require.EqualValues(t, "saas", p.TaxCategory)
	require.NotEmpty(t, p.ProductID)
	require.Equal(t, 2, rows(t, s, "catalog_entries"))

	before := s.Rows(t)
	for _, o := range []ImportOptions{{DryRun: true}, {}, {Source: "other"}} {
		out := svc.imported(t, by, o, strings.Split(soldFile, "\n")...)
		for _, external := range soldIDs {
			require.Equal(t, "present", out.outcomes[external], "%s of %q", external, o.Source)
		}
	}
	require.Equal(t, before, s.Rows(t), "a repetition writes nothing")
}

// What is sold here stays as it is: a record with other terms is refused.
func TestImport_SoldDiffers(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	lines := strings.Split(soldFile, "\n")
	svc.imported(t, by, ImportOptions{}, lines...)
	before := s.Rows(t)
	for _, c := range []struct {
		line          int
		was, is, want string
	}{
		{0, `"50"`, `"60"`, "import_catalog_differs"},
		{0, `"HALF"`, `"NEW","redeemBy":1`, "imported"},
		{0, `["Pro"]`, `["Gold"]`, "import_plan_unknown"},
		{1, "1000", "1001", "import_catalog_differs"},
		{1, `"x-1"`, `"x-9"`, "import_product_unknown"},
		{2, `"version":2`, `"version":4`, "import_version_gap"},
		{2, `"version":2`, `"version":3`, "import_version_gap"}, // its first version has not named the plan
		{3, `"sum"`, `"max"`, "import_catalog_differs"},
		{4, `"version":2`, `"version":4`, "import_version_gap"},
		{4, `"version":2,"name":"calls"`, `"name":"mails"`, "imported"},
		{6, `"19"`, `"20"`, "import_catalog_differs"},
		{6, `"DE"`, `"DE","stacks":true`, "import_catalog_differs"},
		{6, `"DE"`, `"DE","validUntil":"2030-01-01T00:00:00Z"`, "import_catalog_differs"},
		{6, `"USt"`, `"VAT"`, "present"},
		{6, `"catalogKey":"de",`, "", "tax_rate_repeated"},
		{5, `"name":"Pro"`, `"name":""`, "present"},
		{5, `"catalogKey":"pro","name":"Pro"`, `"name":""`, "product_name_missing"},
	} {
		line := strings.Replace(lines[c.line], c.was, c.is, 1)
		require.NotEqual(t, lines[c.line], line)
		line = strings.Replace(line, `"product":"x-1",`, "", 1) // the other source does not have it
		for _, outcome := range svc.imported(t, by, ImportOptions{DryRun: true, Source: "other"}, line).outcomes {
			require.Equal(t, c.want, strings.TrimPrefix(outcome, "1 "), line)
		}
	}
	require.Equal(t, before, s.Rows(t))
}

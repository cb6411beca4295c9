package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/devstack"
	"perennial/service"
	"perennial/service/usecase"
)

const catalogOfOne = `plans:
  team:
    name: Team
    currency: EUR
    interval: month
    prices: [{name: Base, amount: 4900}]
`

// Temporal is away, as for a pipeline that reaches the database alone: nothing here waits for it.
func TestCatalog_DiffApplyExport(t *testing.T) {
	t.Parallel()
	env := database(t)
	create(t, env)
	port, err := devstack.FreePort(0)
	require.NoError(t, err)
	env["TEMPORAL_ADDRESS"] = fmt.Sprintf("127.0.0.1:%d", port)
	file := filepath.Join(t.TempDir(), "catalog.yaml")
	catalog := func(text string, args ...string) outcome {
		t.Helper()
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return perennial(
			t, env, append([]string{"catalog"}, append(args, "--tenant", "Acme", "--app", "Shop", "--mode", "test")...)...,
		)
	}

	got := catalog(catalogOfOne, "diff", "-f", file)
	require.Equal(t, cli.ExitDiffer, got.code, got.stderr)
	require.Equal(t, "+ team\n    Team, EUR, every month\n    + Base: flat 49.00\n"+
		"1 to create, 0 to change, 0 to archive; 0 subscriptions to move at the end of their period.\n", got.stdout)
	got = catalog(catalogOfOne, "apply", "-f", file)
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	require.Regexp(t, `^\+ team \(plan_\w{26}\)\n`, got.stdout)
	got = catalog(catalogOfOne, "diff", "-f", file)
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	require.Equal(t, "The catalogue is as the file says.\n", got.stdout)

	dearer := strings.Replace(catalogOfOne, "4900", "5900", 1)
	got = catalog(dearer, "diff", "-f", file)
	require.Equal(t, cli.ExitDiffer, got.code, got.stderr)
	require.Contains(
		t, got.stdout,
		"    new version: prices\n      - Base: flat 49.00\n      + Base: flat 59.00\n    no running subscriptions\n",
	)
	require.Equal(t, cli.ExitDone, catalog(dearer, "apply", "-f", file).code)
	exported := catalog("", "export")
	require.Equal(t, cli.ExitDone, exported.code, exported.stderr)
	require.Equal(t, cli.ExitDone, catalog(exported.stdout, "diff", "-f", file).code, exported.stdout)

	for says, bad := range map[string]outcome{
		file + ":6: plans.team.prices[0].amount: ": catalog(
			strings.Replace(catalogOfOne, "4900", "-1", 1), "diff", "-f", file,
		),
		file + ":4: plans.team.currency: The `currency` of a": catalog(
			strings.Replace(catalogOfOne, "EUR", "USD", 1), "diff", "-f", file,
		),
		"-f is missing": catalog("", "diff"),
		"no such file":  catalog("", "diff", "-f", file+".absent"),
	} {
		want := cli.ExitFailed
		if says == "-f is missing" {
			want = cli.ExitUsage
		}
		require.Equal(t, want, bad.code, says)
		require.Contains(t, bad.stderr, says)
	}
	for _, verb := range []string{"diff", "apply"} {
		got = catalog("plans: {}", verb, "-f", file)
		require.Equal(t, cli.ExitFailed, got.code, got.stdout)
		require.Contains(t, got.stderr, "1 of the 1 active plans of this catalogue, because it does not describe them: team.")
	}
	got = catalog("plans: {}", "apply", "-f", file, "--allow-archive")
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	require.Contains(t, got.stdout, "archived: no new subscriptions")
}

const wholeCatalog = `products:
  mail: {name: Mail, taxCategory: saas}
taxRates:
  de: {name: USt, percent: 19, country: DE}
metrics:
  api_calls: {aggregation: sum}
plans:
  team:
    name: Team
    currency: EUR
    interval: month
    product: mail
    amount: 4900
coupons:
  WELCOME: {percent: 20, duration: once, plans: [team]}
`

// What one environment exports is applied to another one, and exported there again.
func TestCatalog_ItemsMoveToAnotherEnvironment(t *testing.T) {
	t.Parallel()
	env := database(t)
	create(t, env)
	create(t, env, "--mode", "live")
	port, err := devstack.FreePort(0)
	require.NoError(t, err)
	env["TEMPORAL_ADDRESS"] = fmt.Sprintf("127.0.0.1:%d", port)
	file := filepath.Join(t.TempDir(), "catalog.yaml")
	catalog := func(mode, text string, args ...string) outcome {
		t.Helper()
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return perennial(
			t, env, append([]string{"catalog"}, append(args, "--tenant", "Acme", "--app", "Shop", "--mode", mode)...)...,
		)
	}
	got := catalog("test", wholeCatalog, "diff", "-f", file)
	require.Equal(t, cli.ExitDiffer, got.code, got.stderr)
	require.Equal(t, "+ products.mail\n    Mail, tax category saas\n+ taxRates.de\n    USt, 19 %, DE\n"+
		"+ metrics.api_calls\n    api_calls, sum\n+ coupons.WELCOME\n    WELCOME, 20 % off, once\n"+
		"+ team\n    Team, EUR, every month\n    + flat 49.00\n"+
		"5 to create, 0 to change, 0 to archive; 0 subscriptions to move at the end of their period.\n", got.stdout)
	applied := catalog("test", wholeCatalog, "apply", "-f", file)
	require.Equal(t, cli.ExitDone, applied.code, applied.stderr)
	got = catalog("test", strings.Replace(wholeCatalog, "name: USt", "name: VAT", 1), "diff", "-f", file)
	require.Contains(t, got.stdout, "    name: \"USt\" becomes \"VAT\"\n")

	exported := catalog("test", "", "export")
	require.Equal(t, cli.ExitDone, exported.code, exported.stderr)
	applied = catalog("live", exported.stdout, "apply", "-f", file)
	require.Equal(t, cli.ExitDone, applied.code, applied.stderr)
	require.Equal(t, exported.stdout, catalog("live", "", "export").stdout)
	got = catalog("live", strings.Replace(exported.stdout, "percent: \"19\"", "percent: 20", 1), "diff", "-f", file)
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stderr, "taxRates.de.percent: `percent` never changes")
}

// A plan that a file makes has no product, and so no tax category.
func TestCatalog_WarnsOfPlansWithoutTaxCategory(t *testing.T) {
	t.Parallel()
	env := database(t)
	create(t, env)
	file := filepath.Join(t.TempDir(), "catalog.yaml")
	require.NoError(t, os.WriteFile(file, []byte(catalogOfOne), 0o600))
	diff := func() outcome {
		return perennial(t, env, "catalog", "diff", "--tenant", "Acme", "--app", "Shop", "--mode", "test", "-f", file)
	}
	require.Empty(t, diff().stderr, "no tax rate is for one category")

	conn, err := pgx.Connect(t.Context(), env["DATABASE_URL"])
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	by := usecase.Caller{Actor: db.BySystem("test")}
	require.NoError(t, conn.QueryRow(t.Context(), "select id from environments where mode = 'test'").Scan(&by.EnvironmentID))
	_, err = service.New(open(t, env), time.Now).Catalog.CreateTaxRate(t.Context(), by, tax.Definition{
		Rate: tax.Rate{Name: "VAT", Percent: money.Whole(7)}, Category: "books",
	}, nil)
	require.NoError(t, err)
	warned := diff()
	require.Equal(t, cli.ExitDiffer, warned.code)
	require.Contains(t, warned.stderr, "warning: plans.team: a new plan has no product")
}

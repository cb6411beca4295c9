package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
)

// A month as files, as one table and as JSON: an imported balance is the only thing in it.
func TestReportMonth(t *testing.T) {
	t.Parallel()
	env := database(t)
	create(t, env)
	shop := []string{"--tenant", "Acme", "--app", "Shop", "--mode", "test"}
	dir := t.TempDir()
	customers, balances := filepath.Join(dir, "customers.csv"), filepath.Join(dir, "balances.csv")
	require.NoError(t, os.WriteFile(customers, []byte("id,email\nc-1,ada@example.com\n"), 0o600))
	require.NoError(t, os.WriteFile(balances, []byte("customer,currency,amount\nc-1,USD,500\n"), 0o600))
	require.Equal(t, cli.ExitDone, perennial(t, env, append([]string{"import", customers, balances}, shop...)...).code)

	month := time.Now().UTC().Format("2006-01")
	out := filepath.Join(dir, "new", "month")
	made := perennial(t, env, append([]string{"report", "month", "--out", out, month}, shop...)...)
	require.Equal(t, cli.ExitDone, made.code, made.stderr)
	require.Contains(t, made.stderr, "warning: "+month+" is not over in UTC")
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	require.Equal(t, []string{
		"credit-notes.csv", "credit.csv", "invoices.csv", "payments.csv", "refunds.csv", "summary.csv", "taxes.csv",
	}, names, "no file is left half written")
	summary, err := os.ReadFile(filepath.Join(out, "summary.csv"))
	require.NoError(t, err)
	require.Contains(t, string(summary), month+",USD,credit,,imported,,5.00\n")
	require.Contains(t, string(summary), month+",USD,receivables,,difference,,0.00\n")

	one := perennial(t, env, append([]string{"report", "month", "--only", "credit", month}, shop...)...)
	require.True(t, strings.HasPrefix(one.stdout, "at,entry,customer,invoice,reason,currency,amount\n"), one.stdout)
	require.Contains(t, one.stdout, ",imported,USD,5.00\n")

	all := perennial(t, env, append([]string{"report", "month", "--format", "json", month}, shop...)...)
	var report struct {
		Month      string
		Complete   bool
		Currencies []struct{ Credit struct{ Closing int64 } }
		Taxes      []any
	}
	require.NoError(t, json.Unmarshal([]byte(all.stdout), &report))
	require.Equal(t, []any{month, false, int64(500)}, []any{report.Month, report.Complete, report.Currencies[0].Credit.Closing})
	require.NotNil(t, report.Taxes)

	old := perennial(t, env, append([]string{"report", "month", "--only", "summary", "2020-01"}, shop...)...)
	require.Equal(t, []any{cli.ExitDone, ""}, []any{old.code, old.stderr}, "it is over, and empty")
	require.Equal(t, "month,currency,section,provider,item,count,amount\n", old.stdout)
}

func TestReport_WrongUsage(t *testing.T) {
	t.Parallel()
	shop := []string{"--tenant", "Acme", "--app", "Shop", "--mode", "test"}
	dir := t.TempDir()
	settlement, other := filepath.Join(dir, "s.csv"), filepath.Join(dir, "o.csv")
	require.NoError(t, os.WriteFile(settlement, []byte("type,reference,amount,currency\n"), 0o600))
	require.NoError(t, os.WriteFile(other, []byte("id,Type\n"), 0o600))
	for says, args := range map[string][]string{
		"name the month":                            {"report", "month", "--only", "taxes"},
		`"november" is no month`:                    {"report", "month", "--only", "taxes", "november"},
		`--only is one of summary, invoices`:        {"report", "month", "--only", "everything", "2026-11"},
		"give --out FOLDER for all tables":          {"report", "month", "2026-11"},
		"--format is csv or json":                   {"report", "month", "--format", "xml", "2026-11"},
		"--out and --only are of csv":               {"report", "month", "--format", "json", "--out", dir, "2026-11"},
		"--provider, --file and --month are":        {"report", "reconcile", "--provider", "stripe"},
		"Flutterwave publishes no format":           {"report", "reconcile", "--provider", "flutterwave", "--file", other, "--month", "2026-11"},
		"has no column `reporting_category`":        {"report", "reconcile", "--provider", "stripe", "--file", other, "--month", "2026-11"},
		"The provider is unknown. Use stripe":       {"report", "reconcile", "--provider", "x", "--file", other, "--month", "2026-11"},
		"the file cannot be opened":                 {"report", "reconcile", "--provider", "stripe", "--file", dir + "/none", "--month", "2026-11"},
		`"2026" is no month; name one such as 2026`: {"report", "reconcile", "--provider", "stripe", "--file", other, "--month", "2026"},
	} {
		got := perennial(t, nil, append(args, shop...)...)
		require.Equal(t, cli.ExitUsage, got.code, says)
		require.Contains(t, got.stderr, says)
	}
}

// Differences are rows, the summary is beside them, and the exit code says that there are some; a text that a spreadsheet
// would calculate is harmless.
func TestReportReconcile(t *testing.T) {
	t.Parallel()
	env := database(t)
	create(t, env)
	path := filepath.Join(t.TempDir(), "s.csv")
	compare := func(rows string) outcome {
		require.NoError(t, os.WriteFile(path, []byte("type,reference,amount,currency\n"+rows), 0o600))
		return perennial(t, env, "report", "reconcile", "--tenant", "Acme", "--app", "Shop", "--mode", "test", "--provider", "flutterwave",
			"--format", "neutral", "--file", path, "--month", "2026-11")
	}
	none := compare("fee,,1.50,GHS\n")
	require.Equal(t, cli.ExitDone, none.code, none.stderr)
	require.Contains(t, none.stderr, "GHS: charged 0.00, refunded 0.00, disputed 0.00, fees 1.50\nno differences\n")
	some := compare("charge,=cmd|'/C calc'!A0,10.00,GHS\n")
	require.Equal(t, cli.ExitDiffer, some.code, some.stderr)
	require.Contains(t, some.stdout, "charge_not_with_us,2,'=cmd|'/C calc'!A0,,,10.00,GHS,,,")
	require.Contains(t, some.stderr, "charge_not_with_us: 1\n")
}

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/terms"
	"perennial/cmd/perennial/cli"
	"perennial/db"
)

func TestInvoiceRender(t *testing.T) {
	t.Parallel()
	env := database(t)
	create(t, env)
	sql(t, env, `insert into customers (id, environment_id, metadata, created_at) select 'cust_1', id, '{}', now() from environments`)
	store := open(t, env)
	all, err := store.Tenancy.Environments(t.Context())
	require.NoError(t, err)
	draft := invoice.Invoice{
		ID: "in_00000000000000000000000001", CustomerID: "cust_1", Status: invoice.InDraft, Reason: invoice.Manual, Currency: "EUR",
		Total: 5000, AmountDue: 5000, Terms: terms.Terms{Method: terms.Charge}, CreatedAt: time.Now(),
		Lines: []invoice.Line{{ID: "il_00000000000000000000000001", Kind: invoice.OneOff, Description: "Work", Amount: 5000}},
	}
	require.NoError(t, store.InTx(t.Context(), db.BySystem("test"), time.Now(), func(tx *db.Tx) error {
		return tx.Invoices.InsertDraft(t.Context(), all[0].ID, draft)
	}))
	dir := t.TempDir()
	render := func(args ...string) outcome {
		return perennial(t, env, append([]string{"invoice", "render"}, args...)...)
	}
	for name, begins := range map[string]string{"a.pdf": "%PDF-1.7", "a.html": "<!doctype html>"} {
		file := filepath.Join(dir, name)
		done := render(draft.ID, "-o", file)
		require.Equal(t, cli.ExitDone, done.code, done.stderr)
		written, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, begins, string(written[:len(begins)]))
	}
	require.Contains(t, render(draft.ID, "-o", "-", "--form", "html").stdout, "€50.00")

	refused := render(draft.ID, "-o", filepath.Join(dir, "a.xml"))
	require.Equal(t, cli.ExitFailed, refused.code)
	require.Contains(t, refused.stderr, "is a draft")
	require.NoFileExists(t, filepath.Join(dir, "a.xml"))
	require.Equal(t, cli.ExitFailed, render("in_absent", "-o", "-", "--form", "pdf").code)
	for _, misused := range [][]string{{}, {draft.ID}, {draft.ID, "-o", "a.doc"}} {
		require.Equal(t, cli.ExitUsage, render(misused...).code)
	}
}

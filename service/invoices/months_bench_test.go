package invoices_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/service/invoices"
	"perennial/service/servicetest"
)

// BenchmarkMonth adds up a month of 100,000 paid invoices with a tax: as many payments, settlements, and no credit.
// `go test ./service/invoices -run - -bench Month -benchtime 1x`.
func BenchmarkMonth(b *testing.B) {
	const documents = 100_000
	stage := servicetest.New(b)
	ctx := b.Context()
	customer := stage.Scene.Customer(b, "")
	for _, sql := range []string{`
		insert into invoices (id, environment_id, number, customer_id, status, reason, currency, total, tax, taxes, credit_applied, amount_due,
		    amount_paid, period_start, period_end, phase, automatic_attempts, attempts, issued_at, paid_at, created_at, buyer)
		select 'in_' || lpad(n::text, 26, '0'), $1, n, $2, 'paid', 'manual', 'EUR', 119, 19,
		    '[{"id": "txr_1", "name": "VAT", "percent": "19", "base": 100, "amount": 19}]', 0, 119, 119, at, at, 'settled', 0, 1, at, at, at,
		    '{"country": "DE"}'
		from (select n, '2026-01-02'::timestamptz + n * interval '20 seconds' as at from generate_series(1, 100000) n) d`, `
		insert into invoice_lines (id, environment_id, invoice_id, position, kind, description, amount, tax_rates, period_start, period_end)
		select 'il_' || i.number, i.environment_id, i.id, 0, 'one_off', 'Work', 100, '{txr_1}', i.period_start, i.period_end
		from invoices i where $1 <> $2`, `
		insert into transactions (id, environment_id, type, status, customer_id, invoice_id, amount, currency, description, attempt_number,
		    trigger, provider, due_at, completed_at, created_at, amount_refunded, send_number, checks, not_found_count, started_epoch,
		    revision)
		select 'txn_' || lpad(i.number::text, 26, '0'), i.environment_id, 'charge', 'success', i.customer_id, i.id, 119, 'EUR', '', 1,
		    'manual', 'external', i.issued_at, i.issued_at, i.issued_at, 0, 0, 0, 0, 0, 1
		from invoices i where $1 <> $2`, `
		insert into settlements (environment_id, invoice_id, transaction_id, amount, settled_at)
		select i.environment_id, i.id, 'txn_' || lpad(i.number::text, 26, '0'), 119, i.paid_at from invoices i where $1 <> $2`,
	} {
		_, err := stage.Scene.Pool.Exec(ctx, sql, stage.Scene.Env, customer.ID)
		require.NoError(b, err)
	}
	_, err := stage.Scene.Pool.Exec(ctx, "analyze")
	require.NoError(b, err)
	service := invoices.New(stage.Base)
	for b.Loop() {
		report, err := service.Month(ctx, stage.Caller, months[0], invoices.MonthDocuments{})
		require.NoError(b, err)
		section := report.Sections()[0]
		require.Equal(b, documents, section.Issued.Count)
		require.Zero(b, section.Receivables.Difference())
		require.EqualValues(b, 119*documents, section.Receivables.Paid)
	}
}

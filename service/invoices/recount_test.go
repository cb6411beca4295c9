package invoices_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/monthly"
	"perennial/service/invoices"
	"perennial/test/scene"
)

// recount has the sums of a month by currency, as SQL finds them in the raw rows. in is the condition that a moment is
// in the month by the environment's wall clock.
const recount = `
with zone as (select $1::text as name, $2::date as first),
issued as (select i.* from invoices i, zone z where date_trunc('month', i.issued_at at time zone z.name) = z.first),
voided as (select i.* from invoices i, zone z where date_trunc('month', i.voided_at at time zone z.name) = z.first),
notes as (select n.* from credit_notes n, zone z where date_trunc('month', n.created_at at time zone z.name) = z.first),
entries as (select e.* from credit_entries e, zone z where date_trunc('month', e.created_at at time zone z.name) = z.first),
ends as (select z.first::timestamp at time zone z.name as opens, (z.first + interval '1 month') at time zone z.name as closes from zone z)
select c.code,
    (select count(*) from issued where currency = c.code) as issued_count,
    (select coalesce(sum(total), 0) from issued where currency = c.code) as issued_gross,
    (select coalesce(sum(total - credited), 0) from voided where currency = c.code) as voided_gross,
    (select coalesce(sum(i.total - coalesce((select sum(n.total) from credit_notes n
        where n.invoice_id = i.id and n.created_at <= i.uncollectible_at), 0)), 0)
     from invoices i, zone z where i.currency = c.code
        and date_trunc('month', i.uncollectible_at at time zone z.name) = z.first) as given_up_gross,
    (select coalesce(sum(total), 0) from notes where currency = c.code) as credited_gross,
    (select coalesce(sum(tax), 0) from issued where currency = c.code)
        + (select coalesce(sum((x ->> 'amount')::bigint), 0) from issued i, jsonb_array_elements(i.taxes) x
           where currency = c.code and (x ->> 'inclusive')::boolean) as issued_tax,
    (select coalesce(sum(amount), 0) from transactions t, zone z where t.currency = c.code and t.type = 'charge' and t.status = 'success'
        and date_trunc('month', (case t.provider when 'external' then t.created_at else t.completed_at end) at time zone z.name) = z.first) as collected,
    (select coalesce(sum(amount), 0) from transactions t, zone z where t.currency = c.code and t.type = 'refund' and t.status = 'refunded'
        and date_trunc('month', t.completed_at at time zone z.name) = z.first) as refunded,
    (select coalesce(sum(amount), 0) from transactions t, zone z where t.currency = c.code
        and date_trunc('month', t.returned_at at time zone z.name) = z.first) as returned,
    (select coalesce(sum(owed(i, e.opens)), 0) from invoices i, ends e where i.currency = c.code) as opening,
    (select coalesce(sum(owed(i, e.closes)), 0) from invoices i, ends e where i.currency = c.code) as closing,
    (select coalesce(sum(r.amount), 0) from credit_entries r, ends e where r.currency = c.code and r.created_at < e.opens) as credit_opening,
    (select coalesce(sum(r.amount), 0) from credit_entries r, ends e where r.currency = c.code and r.created_at < e.closes) as credit_closing
from (values ('BHD'), ('EUR'), ('JPY')) c (code)
order by c.code`

// owed is what an invoice asked for at a moment, from its documents: its total, what credit paid and what was carried,
// less credit notes; nothing before its issue, and from its payment, void or write-off on.
const owed = `
create function owed(i invoices, at timestamptz) returns bigint language sql as $$
    select case
        when i.issued_at is null or i.issued_at >= at or i.paid_at < at or i.voided_at < at or i.uncollectible_at < at then 0
        else greatest(i.total, 0)
            + coalesce((select sum(e.amount) from credit_entries e where e.invoice_id = i.id and e.created_at < at
                and e.reason in ('applied', 'returned', 'carried_forward', 'brought_forward')), 0)
            - coalesce((select sum(n.due) from credit_notes n where n.invoice_id = i.id and n.created_at < at), 0)
    end
$$`

type recounted struct {
	currency                                       string
	issuedCount, issuedGross, voidedGross          int64
	givenUpGross, creditedGross, issuedTax         int64
	collected, refunded, returned                  int64
	opening, closing, creditOpening, creditClosing int64
}

func requireRecounted(
	t *testing.T, s *scene.Scene, m monthly.Month, report invoices.MonthReport, seen documents,
) {
	t.Helper()
	ctx := t.Context()
	_, err := s.Pool.Exec(ctx, "drop function if exists owed(invoices, timestamptz);"+owed)
	require.NoError(t, err)
	rows, err := s.Pool.Query(ctx, recount, "Africa/Douala", m.String()+"-01")
	require.NoError(t, err)
	defer rows.Close()
	sections := map[money.Currency]monthly.Section{}
	for _, section := range report.Sections() {
		sections[section.Currency] = section
	}
	for rows.Next() {
		var r recounted
		require.NoError(t, rows.Scan(&r.currency, &r.issuedCount, &r.issuedGross, &r.voidedGross, &r.givenUpGross,
			&r.creditedGross, &r.issuedTax, &r.collected, &r.refunded, &r.returned, &r.opening, &r.closing, &r.creditOpening, &r.creditClosing))
		got := sections[money.Currency(r.currency)]
		moved := monthly.Moved{}
		for _, p := range got.Providers() {
			moved.Collected, moved.Refunded, moved.Returned =
				moved.Collected+p.Collected, moved.Refunded+p.Refunded, moved.Returned+p.Returned
		}
		require.Equal(t, recounted{
			r.currency, int64(got.Issued.Count), int64(got.Issued.Gross), int64(got.Voided.Gross),
			int64(got.Uncollectible.Gross), int64(got.Notes.Gross), int64(got.Issued.Tax), int64(moved.Collected), int64(moved.Refunded), int64(moved.Returned),
			int64(got.Receivables.Opening), int64(got.Receivables.Closing), int64(got.Credit.Opening), int64(got.Credit.Closing),
		}, r, m.String())
		require.Zero(t, got.Receivables.Difference(), "%s %s: %+v", m, r.currency, got.Receivables)
		require.Zero(t, got.Credit.Difference(), "%s %s: %+v", m, r.currency, got.Credit)
		require.Equal(t, got.Issued.Gross, got.Issued.Net+got.Issued.Tax)
		c := money.Currency(r.currency)
		require.Equal(t, got.Issued.Gross, seen.gross[monthly.Issued][c])
		require.Equal(t, got.Voided.Gross, seen.gross[monthly.Voided][c])
		require.Equal(t, got.Uncollectible.Gross, seen.gross[monthly.Uncollectible][c])
		require.Equal(t, got.Notes.Gross, seen.notes[c])
		require.Equal(t, moved.Collected, seen.money[monthly.Collected][c])
		for reason, amount := range got.Credit.ByReason {
			require.Equal(t, amount, seen.entries[reason][c])
		}
	}
	require.NoError(t, rows.Err())
	requireTaxes(t, s, m, report)
}

// requireTaxes recounts the taxes by rate from the documents' own lists.
func requireTaxes(t *testing.T, s *scene.Scene, m monthly.Month, report invoices.MonthReport) {
	t.Helper()
	type key struct {
		currency money.Currency
		rate     string
	}
	want := map[key]monthly.TaxSums{}
	for sql, sign := range map[string]money.Minor{
		"select currency, taxes from invoices where date_trunc('month', issued_at at time zone $1) = $2":      1,
		"select currency, taxes from invoices where date_trunc('month', voided_at at time zone $1) = $2":      -1,
		"select currency, taxes from credit_notes where date_trunc('month', created_at at time zone $1) = $2": -1,
		// what credit notes had taken off a voided invoice before
		`select n.currency, n.taxes from credit_notes n join invoices i on i.id = n.invoice_id
		 where date_trunc('month', i.voided_at at time zone $1) = $2`: 1,
	} {
		rows, err := s.Pool.Query(t.Context(), sql, "Africa/Douala", m.String()+"-01")
		require.NoError(t, err)
		for rows.Next() {
			var currency string
			var raw []byte
			require.NoError(t, rows.Scan(&currency, &raw))
			var taxes invoice.Taxes
			if raw != nil {
				require.NoError(t, json.Unmarshal(raw, &taxes))
			}
			for _, on := range taxes {
				k := key{money.Currency(currency), on.ID}
				want[k] = monthly.TaxSums{Base: want[k].Base + sign*on.Base, Amount: want[k].Amount + sign*on.Amount}
			}
		}
		require.NoError(t, rows.Err())
	}
	got := map[key]monthly.TaxSums{}
	net := map[money.Currency]money.Minor{} // of what has no rate, or one
	for _, row := range report.Taxes() {
		require.Equal(t, "DE", row.Country)
		if row.Rate.ID != "" {
			got[key{row.Currency, row.Rate.ID}] = row.Net()
		} else {
			net[row.Currency] += row.Net().Base
		}
	}
	for k, sums := range want {
		require.Equal(t, sums, got[k], "%s %v", m, k)
	}
	require.Subset(t, keys(want), keys(got))
	for currency, amount := range net {
		require.Equal(t, untaxed(t, s, m, currency), amount, "%s %s", m, currency)
	}
}

func keys[K comparable, V any](m map[K]V) (all []K) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

// untaxed recounts what lines without a rate came to.
func untaxed(t *testing.T, s *scene.Scene, m monthly.Month, c money.Currency) (sum money.Minor) {
	t.Helper()
	require.NoError(t, s.Pool.QueryRow(t.Context(), `
		select coalesce(sum(x.amount), 0)::bigint from (
		    select l.amount from invoices i join invoice_lines l on l.invoice_id = i.id
		    where i.currency = $3 and l.tax_rates is null and date_trunc('month', i.issued_at at time zone $1) = $2
		    union all
		    select l.credited - l.amount from invoices i join invoice_lines l on l.invoice_id = i.id
		    where i.currency = $3 and l.tax_rates is null and date_trunc('month', i.voided_at at time zone $1) = $2
		    union all
		    select -g.amount from credit_notes n
		    join credit_note_lines g on g.credit_note_id = n.id
		    join invoice_lines l on l.invoice_id = n.invoice_id and l.id = g.invoice_line_id
		    where n.currency = $3 and l.tax_rates is null and date_trunc('month', n.created_at at time zone $1) = $2) x`,
		"Africa/Douala", m.String()+"-01", string(c)).Scan(&sum))
	return sum
}

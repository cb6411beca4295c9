package api

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

// The lists of a month sum to its figures, page by page in both directions; another month has none of it.
func TestMonth_ListsAreTheFigures(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rows := b.fill(t, b.test)
	for range 4 {
		b.newInvoice(t, b.test, b.newSubscription(t, b.test).ID)
	}
	report := as[MonthReport](t, 200, b.ask(t, b.test, "GET", "/api/reports/months/2026-11", nil))
	require.Equal(t, []any{"2026-11", false}, []any{report.Month, report.Complete})
	require.NotEmpty(t, report.Currencies)
	var gross, listed int64
	invoices := 0
	for _, c := range report.Currencies {
		gross, invoices = gross+c.Invoiced.Gross, invoices+c.Invoiced.Count
		require.EqualValues(t, 1, c.Receivables.Difference,
			"the note was written behind the rules, and its invoice asks for as much")
	}
	var forward, backward []string
	for behind := ""; ; {
		page := as[httpkit.List[MonthInvoice]](t, 200,
			b.ask(t, b.test, "GET", "/v1/reports/months/2026-11/invoices?limit=2"+behind, nil))
		for _, inv := range page.Data {
			listed += inv.Gross
			forward = append(forward, inv.ID)
		}
		if !page.HasMore {
			break
		}
		behind = "&startingAfter=" + forward[len(forward)-1]
	}
	require.Equal(t, []any{gross, invoices}, []any{listed, len(forward)})
	last := forward[len(forward)-1]
	for cursor := last; cursor != ""; {
		page := as[httpkit.List[MonthInvoice]](t, 200,
			b.ask(t, b.test, "GET", "/api/reports/months/2026-11/invoices?limit=2&endingBefore="+cursor, nil))
		cursor = ""
		for _, inv := range page.Data {
			backward = append(backward, inv.ID)
		}
		if page.HasMore {
			cursor = page.Data[0].ID
		}
	}
	require.ElementsMatch(t, forward[:len(forward)-1], backward)
	for _, list := range []string{"invoices", "credit-notes", "payments", "refunds"} {
		require.Empty(t, as[httpkit.List[struct{ ID string }]](t, 200,
			b.ask(t, b.test, "GET", "/api/reports/months/2026-10/"+list, nil)).Data)
	}
	notes := as[httpkit.List[MonthCreditNote]](t, 200,
		b.ask(t, b.test, "GET", "/api/reports/months/2026-11/credit-notes", nil))
	require.Equal(t, rows.creditNote, notes.Data[0].ID)
	voided := as[httpkit.List[MonthInvoice]](t, 200,
		b.ask(t, b.test, "GET", "/api/reports/months/2026-11/invoices?movement=voided", nil))
	require.Empty(t, voided.Data)
	taxes := as[MonthTaxes](t, 200, b.ask(t, b.test, "GET", "/api/reports/months/2026-11/taxes", nil))
	var untaxed int64
	for _, row := range taxes.Data {
		untaxed += row.Invoiced.Base
	}
	require.Equal(t, gross, untaxed, "nothing is taxed here")
	problem(t, 422, "cursor_unknown", "startingAfter",
		b.ask(t, b.test, "GET", "/api/reports/months/2026-10/invoices?startingAfter="+url.QueryEscape(last), nil))
	problem(t, 422, "month_malformed", "month", b.ask(t, b.test, "GET", "/api/reports/months/2026-13", nil))
	problem(t, 422, "cursor_malformed", "startingAfter",
		b.ask(t, b.test, "GET", "/api/reports/months/2026-11/payments?startingAfter=in_1", nil))
}

// What was given up is listed with what the report adds: without what credit notes had given back. What is paid and
// credited afterwards changes neither.
func TestMonth_UncollectibleIsTheFigure(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, in := b.overdue(t, b.clock().Add(time.Hour))
	path := "/api/invoices/" + in
	as[CreditNote](t, 201, b.ask(t, b.test, "POST", path+"/credit-notes", `{"amount":400,"reason":"goodwill"}`))
	given := as[Invoice](t, 200, b.ask(t, b.test, "POST", path+"/mark-uncollectible", nil))
	month := b.clock().UTC().Format("2006-01")
	check := func() {
		t.Helper()
		report := as[MonthReport](t, 200, b.ask(t, b.test, "GET", "/api/reports/months/"+month, nil))
		require.Equal(t, given.Total-400, report.Currencies[0].Uncollectible.Gross)
		list := as[httpkit.List[MonthInvoice]](t, 200,
			b.ask(t, b.test, "GET", "/api/reports/months/"+month+"/invoices?movement=uncollectible", nil))
		require.Len(t, list.Data, 1)
		require.Equal(t, []any{in, given.Total - 400}, []any{list.Data[0].ID, list.Data[0].Gross})
	}
	check()
	as[Invoice](t, 200, b.ask(t, b.test, "POST", path+"/mark-paid", map[string]any{"method": "cash"}))
	as[CreditNote](t, 201, b.ask(t, b.test, "POST", path+"/credit-notes", `{"amount":300,"reason":"goodwill"}`))
	check()
}

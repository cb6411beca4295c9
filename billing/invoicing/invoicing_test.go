package invoicing_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/billing/terms"
)

var (
	now  = time.Date(2026, time.March, 10, 12, 0, 0, 0, time.UTC)
	mine = invoicing.Identity{ID: "in_1", CustomerID: "cust_1", Currency: "EUR"}
	vat  = tax.Rate{ID: "txr_1", Name: "VAT", Percent: dec("19")}
)

func dec(s string) money.Decimal {
	d, err := money.ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return d
}

// held are rates that hold for every line.
func held(rates ...tax.Rate) (all tax.Held) {
	for _, r := range rates {
		all = append(all, tax.Definition{Rate: r})
	}
	return all
}

func minor(n int64) *money.Minor { m := money.Minor(n); return &m }

func around(rates ...tax.Rate) invoicing.Around {
	return invoicing.Around{Rates: held(rates...), LineID: func(i int) string { return fmt.Sprintf("il_%d", i) }, Now: now}
}

func content(lines ...invoicing.Line) invoicing.Content { return invoicing.Content{Lines: lines} }

func TestNew_SumsWhatIsWritten(t *testing.T) {
	t.Parallel()
	draft, err := invoicing.New(mine, content(
		invoicing.Line{Description: "Consulting", Quantity: dec("7.5"), UnitPrice: dec("120.333")},
		invoicing.Line{Description: "Setup", Amount: minor(5000)},
		invoicing.Line{Description: "Gift", UnitPrice: dec("0")},
	), around(vat))
	require.NoError(t, err)
	require.Equal(t, invoice.InDraft, draft.Status)
	require.Equal(t, []money.Minor{90250, 5000, 0},
		[]money.Minor{draft.Lines[0].Amount, draft.Lines[1].Amount, draft.Lines[2].Amount})
	require.Equal(t, "7.5", draft.Lines[0].Quantity)
	require.Equal(t, "1", draft.Lines[2].Quantity)
	require.Equal(t, money.Minor(95250), draft.Subtotal())
	require.Equal(t, money.Minor(18098), draft.Tax)
	require.Equal(t, money.Minor(113348), draft.AmountDue)
	require.Zero(t, draft.Number)
	require.Zero(t, draft.IssuedAt)
}

func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	for code, c := range map[string]invoicing.Content{
		"lines_missing":         {},
		"line_price_missing":    content(invoicing.Line{Description: "a", Quantity: dec("2")}),
		"line_price_ambiguous":  content(invoicing.Line{UnitPrice: dec("1"), Amount: minor(1)}),
		"line_negative":         content(invoicing.Line{Quantity: dec("-1"), UnitPrice: dec("1")}),
		"amount_too_large":      content(invoicing.Line{Quantity: dec("999999999999"), UnitPrice: dec("999999999999")}),
		"net_days_without_send": {Lines: []invoicing.Line{{Amount: minor(1)}}, Terms: terms.Terms{NetDays: 3}},
	} {
		_, err := invoicing.New(mine, c, around())
		require.ErrorContains(t, err, code)
	}
	for _, below := range []invoicing.Line{
		{Amount: minor(-1)}, {UnitPrice: dec("-0.001")}, {Quantity: dec("-0.001"), UnitPrice: dec("1")},
	} { // also what would be rounded to 0
		_, err := invoicing.New(mine, content(below), around())
		require.ErrorContains(t, err, "line_negative")
	}
}

func TestRevise_RefusesMetadata(t *testing.T) {
	t.Parallel()
	draft, err := invoicing.New(mine, content(invoicing.Line{Amount: minor(1000)}), around())
	require.NoError(t, err)
	bad := metadata.Pairs{"": "no name"}
	require.Error(t, bad.Check())
	same, err := invoicing.Revise(draft, invoicing.Change{Metadata: &bad}, around())
	require.Equal(t, bad.Check(), err)
	require.Equal(t, draft, same)
	days := -1
	_, err = invoicing.Revise(draft, invoicing.Change{Metadata: &metadata.Pairs{"po": "7"}, NetDays: &days}, around())
	require.ErrorContains(t, err, "net_days")
	revised, err := invoicing.Revise(draft, invoicing.Change{Metadata: &metadata.Pairs{"po": "7"}}, around())
	require.NoError(t, err)
	require.Equal(t, metadata.Pairs{"po": "7"}, revised.Metadata)
}

func TestFinalize_TakesTheTaxesAndTheBalanceOfNow(t *testing.T) {
	t.Parallel()
	draft, err := invoicing.New(mine, invoicing.Content{
		Lines: []invoicing.Line{{Amount: minor(1000)}}, Terms: terms.Terms{Method: terms.Send, NetDays: 14},
	}, around())
	require.NoError(t, err)

	later := now.AddDate(0, 0, 3)
	out, err := invoicing.Finalize(draft, held(vat), invoice.Issuing{Balance: 90, Now: later})

	require.NoError(t, err)
	inv := out.Invoice
	require.Equal(t, invoice.Open, inv.Status)
	require.Equal(t, []money.Minor{1190, 90, 1100}, []money.Minor{inv.Total, inv.CreditApplied, inv.AmountDue})
	require.Equal(t, []invoice.CreditEntry{{Amount: -90, Reason: invoice.CreditApplied}}, out.Credit)
	require.Equal(t, [2]time.Time{now, later}, [2]time.Time{inv.CreatedAt, inv.IssuedAt})
	require.Equal(t, time.Date(2026, time.March, 28, 0, 0, 0, 0, time.UTC), inv.DueAt)
	require.Equal(t, draft.Lines[0].ID, inv.Lines[0].ID)
	require.False(t, inv.Overdue(inv.DueAt.Add(-1)))
	require.True(t, inv.Overdue(inv.DueAt))
}

func TestFinalized_NothingChangesItAnyMore(t *testing.T) {
	t.Parallel()
	draft, err := invoicing.New(mine, content(invoicing.Line{Amount: minor(1000)}), around())
	require.NoError(t, err)
	require.NoError(t, invoicing.Changeable(draft))
	ofSubscription := draft
	ofSubscription.SubscriptionID = "sub_1"
	require.ErrorIs(t, invoicing.Changeable(ofSubscription), invoicing.ErrOfSubscription)
	out, err := invoicing.Finalize(draft, nil, invoice.Issuing{Now: now})
	require.NoError(t, err)
	for _, inv := range []invoice.Invoice{out.Invoice, out.Invoice.Settle(now)} {
		same, err := invoicing.Revise(
			inv, invoicing.Change{Lines: content(invoicing.Line{Amount: minor(1)}).Lines}, around(vat),
		)
		require.ErrorIs(t, err, invoicing.ErrNotDraft)
		require.Equal(t, inv, same)
		_, err = invoicing.Finalize(inv, nil, invoice.Issuing{Now: now})
		require.ErrorIs(t, err, invoicing.ErrNotDraft)
		require.ErrorIs(t, invoicing.Changeable(inv), invoicing.ErrNotDraft)
	}
}

// Whatever is written, revised and finalized: the sums add up, nothing is below zero, a draft shows the sums of
// finalizing it at once, and nothing of an earlier version of the draft is left.
func TestInvoice_AnyLife(t *testing.T) {
	t.Parallel()
	rates := held(vat, tax.Rate{ID: "txr_2", Name: "Levy", Percent: dec("2.5")},
		tax.Rate{ID: "txr_3", Percent: dec("5"), Inclusive: true})
	rapid.Check(t, func(t *rapid.T) {
		rates := slices.Clone(rates)
		for i := range rates {
			rates[i].Category = rapid.SampledFrom([]tax.Category{"", "books"}).Draw(t, "category of a rate")
		}
		with := func(on tax.Held) invoicing.Around {
			in := around()
			in.Rates = on
			return in
		}
		on := rates[:rapid.IntRange(0, len(rates)).Draw(t, "rates")]
		draft, err := invoicing.New(mine, anyContent(t), with(rates))
		require.NoError(t, err)
		last := anyContent(t)
		draft, err = invoicing.Revise(draft,
			invoicing.Change{Lines: last.Lines, Method: &last.Terms.Method, NetDays: &last.Terms.NetDays}, with(on))
		require.NoError(t, err)
		require.Len(t, draft.Lines, len(last.Lines))
		again, err := invoicing.Revise(draft, invoicing.Change{}, with(on))
		require.NoError(t, err)
		require.Equal(t, draft, again, "what is not sent stays")
		fresh, err := invoicing.New(mine, last, with(on))
		require.NoError(t, err)
		require.Equal(t, fresh, draft, "no trace of the draft before")

		balance := money.Minor(rapid.Int64Range(-5000, 5000).Draw(t, "balance"))
		out, err := invoicing.Finalize(draft, on, invoice.Issuing{
			Balance: balance, Limits: money.Limits{Minimum: 50, Granularity: 5}, Now: now,
		})
		require.NoError(t, err)
		inv := out.Invoice
		require.Equal(t, draft.Total, inv.Total)
		require.Equal(t, inv.Total, inv.Subtotal()-inv.Discount+inv.Tax)
		require.Equal(t, inv.AmountDue, inv.Total-inv.CreditApplied+inv.BroughtForward-inv.CarriedForward)
		for _, amount := range []money.Minor{
			inv.Total, inv.AmountDue, inv.CreditApplied, inv.BroughtForward, inv.CarriedForward,
		} {
			require.GreaterOrEqual(t, amount, money.Minor(0))
		}
		sum := money.Minor(0)
		for _, entry := range out.Credit {
			sum += entry.Amount
		}
		require.Equal(t, inv.AmountDue-inv.Total, sum, "what is not asked for came out of the balance")
		require.Equal(t, inv.AmountDue == 0, inv.Status == invoice.Paid)
		require.Zero(t, out.Refund)
	})
}

func anyContent(t *rapid.T) invoicing.Content {
	line := rapid.Custom(func(t *rapid.T) invoicing.Line {
		of := rapid.SampledFrom([]tax.Category{"", "books", "food"}).Draw(t, "category")
		if rapid.Bool().Draw(t, "whole") {
			return invoicing.Line{Amount: minor(rapid.Int64Range(0, 100_000).Draw(t, "amount")), TaxCategory: of}
		}
		hundredths := func(name string) money.Decimal {
			return dec(fmt.Sprintf("%d.%03d", rapid.IntRange(0, 50).Draw(t, name), rapid.IntRange(0, 999).Draw(t, name)))
		}
		return invoicing.Line{Quantity: hundredths("quantity"), UnitPrice: hundredths("price"), TaxCategory: of}
	})
	c := invoicing.Content{Lines: rapid.SliceOfN(line, 1, 6).Draw(t, "lines")}
	if rapid.Bool().Draw(t, "sent") {
		c.Terms = terms.Terms{Method: terms.Send, NetDays: rapid.IntRange(0, 60).Draw(t, "days")}
	}
	return c
}

func TestRevise_Terms(t *testing.T) {
	t.Parallel()
	sent, charged, days := terms.Send, terms.Charge, 30
	draft, err := invoicing.New(mine, content(invoicing.Line{Amount: minor(1000)}), around())
	require.NoError(t, err)
	_, err = invoicing.Revise(draft, invoicing.Change{NetDays: &days}, around())
	require.ErrorContains(t, err, "net_days_without_send")
	draft, err = invoicing.Revise(draft, invoicing.Change{Method: &sent, NetDays: &days}, around())
	require.NoError(t, err)
	require.Equal(t, terms.Terms{Method: terms.Send, NetDays: 30}, draft.Terms)
	draft, err = invoicing.Revise(draft, invoicing.Change{Method: &charged}, around())
	require.NoError(t, err)
	require.Equal(t, terms.Terms{Method: terms.Charge}, draft.Terms)
	_, err = invoicing.Revise(draft, invoicing.Change{Lines: []invoicing.Line{}}, around())
	require.ErrorContains(t, err, "lines_missing")
}

// A line of a category is taxed with the category's rates when it is written, and again with those in force when the
// draft is finalized.
func TestLine_OfACategory(t *testing.T) {
	t.Parallel()
	reduced := tax.Definition{Rate: tax.Rate{ID: "txr_7", Name: "VAT", Percent: dec("7")}, Category: "books"}
	with := around(vat)
	with.Rates = append(with.Rates, reduced)
	draft, err := invoicing.New(mine, content(
		invoicing.Line{Description: "Book", Amount: minor(1000), TaxCategory: "books"},
		invoicing.Line{Description: "Lamp", Amount: minor(1000)},
		invoicing.Line{Description: "Bread", Amount: minor(1000), TaxCategory: "food"},
	), with)
	require.NoError(t, err)
	require.Equal(t, money.Minor(70+190+190), draft.Tax)
	require.Equal(t, []tax.Rate{reduced.Rate}, draft.Lines[0].Rates)

	revised, err := invoicing.Revise(draft, invoicing.Change{}, around(vat))
	require.NoError(t, err)
	require.Equal(t, money.Minor(570), revised.Tax, "the reduced rate ended")
	out, err := invoicing.Finalize(revised, with.Rates, invoice.Issuing{Now: now})
	require.NoError(t, err)
	require.Equal(t, money.Minor(450), out.Invoice.Tax)
	require.Equal(t, tax.Category("books"), out.Invoice.Lines[0].TaxCategory)

	_, err = invoicing.New(mine, content(
		invoicing.Line{Description: "Lamp", Amount: minor(1000)},
		invoicing.Line{Description: "Book", Amount: minor(1000), TaxCategory: "Books"},
	), with)
	require.Equal(t, []string{"tax_category_malformed", "lines[1].taxCategory"},
		[]string{fault.From(err).Code, fault.From(err).Param})
}

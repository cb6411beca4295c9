package monthly_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/monthly"
	"perennial/billing/tax"
)

var (
	vat = tax.Rate{ID: "txr_vat", Name: "VAT", Percent: money.Whole(19)}
	gst = tax.Rate{ID: "txr_gst", Name: "GST", Percent: money.Whole(10), Inclusive: true}
)

// worth is a document over net, with 19 % added.
func worth(net money.Minor) monthly.Worth {
	added := net * 19 / 100
	return monthly.Worth{
		Currency: "EUR", Country: "DE", Gross: net + added, TaxAdded: added,
		Taxes: invoice.Taxes{{Rate: vat, Base: net, Amount: added}},
	}
}

func issued(w monthly.Worth, m monthly.Movement) monthly.Invoice {
	return monthly.Invoice{Movement: m, Worth: w, Asked: max(w.Gross, 0), Outstanding: max(w.Gross, 0)}
}

func section(t *testing.T, r *monthly.Report) monthly.Section {
	t.Helper()
	all := r.Sections()
	require.Len(t, all, 1)
	return all[0]
}

func TestWorth_TaxInside(t *testing.T) {
	t.Parallel()
	w := monthly.Worth{
		Gross: 1100 + 190, TaxAdded: 190,
		Taxes: invoice.Taxes{{Rate: gst, Base: 1000, Amount: 100}, {Rate: vat, Base: 1000, Amount: 190}},
	}
	require.Equal(t, []money.Minor{1000, 290, 100}, []money.Minor{w.Net(), w.Tax(), w.Contained()})
}

// What was issued earlier and voided now is taken off now.
func TestReport_VoidOfAnEarlierMonth(t *testing.T) {
	t.Parallel()
	var r monthly.Report
	r.OpenInvoices([]monthly.Balance{{Currency: "EUR", Opening: 1190, Closing: 0}})
	r.Invoice(issued(worth(1000), monthly.Voided))
	s := section(t, &r)
	require.Equal(t, monthly.Sums{Count: -1, Net: -1000, Tax: -190, Gross: -1190}, s.Sales())
	require.Zero(t, s.Receivables.Difference(), s.Receivables)
	taxes := r.Taxes()
	require.Len(t, taxes, 1)
	require.Equal(t, monthly.TaxSums{Base: -1000, Amount: -190}, taxes[0].Net())
}

// A void takes back what credit notes had left.
func TestReport_VoidAfterACreditNote(t *testing.T) {
	t.Parallel()
	var r monthly.Report
	inv := issued(worth(1000), monthly.Issued)
	r.Invoice(inv)
	r.Note(monthly.Note{Worth: worth(400), Due: 476})
	inv.Movement, inv.CreditedDue, inv.Notes = monthly.Voided, 476, []monthly.Worth{worth(400)}
	r.Invoice(inv)
	s := section(t, &r)
	require.Equal(t, monthly.Sums{Net: 0, Tax: 0, Gross: 0}, s.Sales())
	require.Equal(t, money.Minor(714), s.Voided.Gross)
	require.Zero(t, s.Receivables.Expected())
	require.Equal(t, monthly.TaxSums{}, r.Taxes()[0].Net())
	require.Equal(t, invoice.Taxes{{Rate: vat, Base: 1000, Amount: 190}}, inv.Taxes, "the caller's document stays")
}

// A list shows what the report adds: of what was voided or given up, only what credit notes had left; of what was issued
// all of it, since notes count in their own months.
func TestInvoice_Counts(t *testing.T) {
	t.Parallel()
	for movement, gross := range map[monthly.Movement]money.Minor{
		monthly.Issued: 1190, monthly.Voided: 714, monthly.Uncollectible: 714,
	} {
		inv := issued(worth(1000), movement)
		inv.Notes = []monthly.Worth{worth(400)}
		require.Equal(t, gross, inv.Counts().Gross, movement)
		var r monthly.Report
		r.Invoice(inv)
		s := section(t, &r)
		require.Equal(t, gross, s.Issued.Gross+s.Voided.Gross+s.Uncollectible.Gross, movement)
	}
}

// A negative invoice, as there were before credit notes, lowers the sales and the tax, and becomes credit.
func TestReport_NegativeInvoice(t *testing.T) {
	t.Parallel()
	var r monthly.Report
	r.Invoice(issued(worth(-1000), monthly.Issued))
	r.Entry(monthly.Entry{Currency: "EUR", Reason: invoice.CreditProration, Amount: 1190})
	r.Balances([]monthly.Balance{{Currency: "EUR", Opening: 5, Closing: 1195}})
	s := section(t, &r)
	require.Equal(t, monthly.Sums{Count: 1, Net: -1000, Tax: -190, Gross: -1190}, s.Sales())
	require.Zero(t, s.Receivables.Expected())
	require.Zero(t, s.Credit.Difference())
	require.Equal(t, []invoice.CreditReason{invoice.CreditProration}, s.Credit.Reasons())
}

// Every movement of receivables, once each.
func TestReport_Receivables(t *testing.T) {
	t.Parallel()
	var r monthly.Report
	inv := issued(worth(1000), monthly.Issued) // 1190
	r.Invoice(inv)
	r.Entry(monthly.Entry{Currency: "EUR", Reason: invoice.CreditApplied, Amount: -70})
	r.Entry(monthly.Entry{Currency: "EUR", Reason: invoice.CreditSettled, Amount: -20}) // by notes of a change
	r.Entry(monthly.Entry{Currency: "EUR", Reason: invoice.CreditReturned, Amount: 40})
	r.Entry(monthly.Entry{Currency: "EUR", Reason: invoice.CreditCarriedForward, Amount: -7})
	r.Entry(monthly.Entry{Currency: "EUR", Reason: invoice.CreditBroughtForward, Amount: 3})
	r.Entry(monthly.Entry{Currency: "EUR", Reason: invoice.CreditAdjusted, Amount: 1000})
	r.Note(monthly.Note{Worth: worth(100), Due: 100, Balance: 19})
	r.Settlement(monthly.Settlement{Currency: "EUR", Amount: 500})
	r.Settlement(monthly.Settlement{Currency: "EUR", Amount: 60, WrittenOff: true})
	given := issued(worth(200), monthly.Uncollectible)
	given.Outstanding = 130
	r.Invoice(given)
	s := section(t, &r)
	s.Receivables.Opening, s.Receivables.Closing = 1000, 1000+1190-50-4-100-500-130
	require.Equal(t, monthly.Receivables{
		Opening: 1000, Invoiced: 1190, CreditUsed: 50, Carried: 4, Credited: 100, Uncollectible: 130, Recovered: 60,
		Paid: 560, Closing: 1406,
	}, s.Receivables)
	require.Zero(t, s.Receivables.Difference())
	require.Equal(t, money.Minor(238), s.Uncollectible.Gross)
	require.Equal(t, money.Minor(1190-119), s.Sales().Gross, "what was given up is still sold")
}

func TestReport_Money(t *testing.T) {
	t.Parallel()
	var r monthly.Report
	for movement, amount := range map[monthly.Movement]money.Minor{
		monthly.Collected: 100, monthly.Refunded: 30, monthly.Returned: 10,
	} {
		r.Payment(monthly.Payment{Movement: movement, Provider: "stripe", Currency: "EUR", Amount: amount})
	}
	r.Payment(monthly.Payment{Movement: monthly.Collected, Provider: "external", Currency: "EUR", Amount: 7})
	all := section(t, &r).Providers()
	require.Equal(t, []string{"external", "stripe"}, []string{all[0].Provider, all[1].Provider})
	require.Equal(t, []money.Minor{7, 80}, []money.Minor{all[0].Net(), all[1].Net()})
	require.Equal(t, []int{1, 1, 1}, []int{all[1].Payments, all[1].Refunds, all[1].Returns})
}

// Rates are told apart by their ids, countries and currencies; a rate that was renamed is the same one. What has no
// rate is told apart by the reason.
func TestReport_Taxes(t *testing.T) {
	t.Parallel()
	var r monthly.Report
	one, other := worth(100), worth(200)
	other.Taxes[0].Name = "Sales tax"
	french := worth(300)
	french.Country = "FR"
	yen := monthly.Worth{Currency: "JPY", Gross: 500, Untaxed: 500}
	reverse := yen
	reverse.Exemption = tax.Reverse
	for _, w := range []monthly.Worth{one, other, french, yen, reverse, reverse} {
		r.Invoice(issued(w, monthly.Issued))
	}
	rows := r.Taxes()
	require.Len(t, rows, 4)
	require.Equal(t, "VAT", rows[0].Rate.Name)
	var bases []money.Minor
	for _, row := range rows {
		bases = append(bases, row.Issued.Base)
	}
	require.Equal(t, []money.Minor{300, 300, 500, 1000}, bases)
	require.Equal(t, tax.Reverse, rows[3].Exemption)
}

func TestReport_Empty(t *testing.T) {
	t.Parallel()
	var r monthly.Report
	r.OpenInvoices([]monthly.Balance{{Currency: "EUR"}})
	r.Balances([]monthly.Balance{{Currency: "EUR"}})
	require.Empty(t, r.Sections())
	require.Empty(t, r.Taxes())
}

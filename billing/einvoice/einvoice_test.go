package einvoice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/document"
	"perennial/billing/einvoice"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

func rate(id string, percent int64, inclusive bool) tax.Rate {
	return tax.Rate{ID: id, Name: "VAT", Percent: money.Whole(percent), Inclusive: inclusive}
}

// issued is an invoice of lines between two businesses of Germany and Denmark.
func issued(t *testing.T, lines ...invoice.Line) invoice.Invoice {
	t.Helper()
	for n := range lines {
		lines[n].ID, lines[n].Description = string(rune('a'+n)), "Work"
	}
	sums, err := invoice.SumsOf(lines)
	require.NoError(t, err)
	return invoice.Invoice{
		Number: 1, Status: invoice.Open, Currency: "EUR", Lines: lines, Discount: sums.Discount, Tax: sums.Tax, Taxes: sums.Taxes,
		Total: sums.Total, AmountDue: sums.Total, Seller: invoice.Seller{Name: "A", Country: "DE", TaxID: "DE 136 695 976"},
		Buyer: invoice.Buyer{Name: "B", Country: "DK", TaxIDs: tax.IDs{{Type: "eu_vat", Value: "DK13585628"}}},
	}
}

func of(t *testing.T, i invoice.Invoice) einvoice.Invoice {
	t.Helper()
	e, err := einvoice.Of(document.OfInvoice(i))
	require.NoError(t, err)
	return e
}

func TestOf_AddsUp(t *testing.T) {
	t.Parallel()
	i := issued(t,
		invoice.Line{Amount: 30_000, Quantity: "3", UnitPrice: "100", Rates: []tax.Rate{rate("1", 19, false)}},
		invoice.Line{Amount: 1000, Quantity: "1", UnitPrice: "20", Rates: []tax.Rate{rate("1", 19, false)},
			Discounts: invoice.Shares{{CouponID: "c", Amount: 100}}}, // a part of a period: 1 × 20 is not the amount
		invoice.Line{Amount: -500, Rates: []tax.Rate{rate("2", 7, false)}},
		invoice.Line{Amount: 700, Rates: []tax.Rate{rate("3", 0, false)}},
	)
	i.CreditApplied, i.AmountDue = 700, i.Total-700
	e := of(t, i)
	require.Equal(t, []einvoice.Tax{
		{Category: einvoice.Standard, Percent: "19", Base: 30_900, Amount: 5871},
		{Category: einvoice.Standard, Percent: "7", Base: -500, Amount: -35},
		{Category: einvoice.Zero, Percent: "0", Base: 700},
	}, e.Taxes)
	require.Equal(t, []money.Minor{31_100, 5836, 36_936, 700, 36_236}, []money.Minor{e.Net, e.TaxTotal, e.Gross, e.Prepaid, e.Payable})
	got := [][]string{}
	for _, l := range e.Lines {
		got = append(got, []string{l.Quantity, l.Price})
	}
	require.Equal(t, [][]string{{"3", "100"}, {"1", "10.00"}, {"-1", "5.00"}, {"1", "7.00"}}, got)
	require.Equal(t, money.Minor(100), e.Lines[1].Allowance)
	require.Equal(t, "DE136695976", e.SellerVAT)
}

// Prices that contain the tax: the lines come to the base, whatever is rounded.
func TestOf_InclusiveTax(t *testing.T) {
	t.Parallel()
	line := func(amount money.Minor) invoice.Line {
		return invoice.Line{Amount: amount, Rates: []tax.Rate{rate("1", 19, true)}}
	}
	e := of(t, issued(t, line(999), line(999), line(999), line(-333)))
	var sum money.Minor
	for _, l := range e.Lines {
		sum += l.Net
		require.InDelta(t, float64(l.Net)*1.19, map[bool]float64{true: 999, false: -333}[l.Net > 0], 1)
	}
	require.Equal(t, money.Minor(2664), e.Gross)
	require.Equal(t, e.Gross-e.TaxTotal, sum)
	require.Equal(t, sum, e.Taxes[0].Base)
}

func TestOf_Exemptions(t *testing.T) {
	t.Parallel()
	for exempt, want := range map[tax.Exemption]einvoice.Category{
		tax.Reverse: einvoice.Reverse, tax.Exempt: einvoice.Exempt, "": einvoice.NotSubject,
	} {
		i := issued(t, invoice.Line{Amount: 100})
		i.TaxExempt = exempt
		e := of(t, i)
		require.Equal(t, want, e.Taxes[0].Category)
		require.Equal(t, want != einvoice.NotSubject, e.SellerVAT != "", "an invoice that is not subject to VAT names no number")
	}
}

// Credit notes and payments after issue do not change what the invoice asked for: a credit note has its own e-invoice.
func TestOf_SumsAreThoseOfTheIssue(t *testing.T) {
	t.Parallel()
	i := issued(t, invoice.Line{Amount: 100, Rates: []tax.Rate{rate("1", 19, false)}})
	i.CreditApplied, i.AmountDue = 9, 110
	want := of(t, i)
	require.Equal(t, []money.Minor{9, 110}, []money.Minor{want.Prepaid, want.Payable})
	sums := func(i invoice.Invoice) []money.Minor {
		e := of(t, i)
		return []money.Minor{e.Gross, e.Prepaid, e.Payable}
	}
	credited, _ := i.Credit(invoice.Credited{Total: 50, Tax: 8, Due: 50}, map[string]money.Minor{"a": 42}, 0, invoice.Gone{},
		money.Limits{})
	require.Equal(t, money.Minor(60), credited.AmountDue)
	for name, now := range map[string]invoice.Invoice{
		"credited": credited, "paid": i.Settle(time.Unix(1, 0)), "credited and paid": credited.Settle(time.Unix(1, 0)),
	} {
		require.Equal(t, []money.Minor{119, 9, 110}, sums(now), name)
	}
}

func TestOf_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	full := func() invoice.Invoice {
		return issued(t, invoice.Line{Amount: 100, Rates: []tax.Rate{rate("1", 19, false)}})
	}
	reverse := func(i *invoice.Invoice) {
		i.TaxExempt, i.Lines[0].Rates, i.Taxes, i.Tax, i.Total, i.Buyer.TaxIDs = tax.Reverse, nil, nil, 0, 100, nil
	}
	for name, c := range map[string]struct {
		change      func(*invoice.Invoice)
		code, field string
	}{
		"seller":           {func(i *invoice.Invoice) { i.Seller.Name = "" }, "einvoice_data_missing", "seller.name"},
		"seller's country": {func(i *invoice.Invoice) { i.Seller.Country = "" }, "einvoice_data_missing", "seller.country"},
		"tax number":       {func(i *invoice.Invoice) { i.Seller.TaxID = "" }, "einvoice_data_missing", "seller.taxId"},
		"buyer":            {func(i *invoice.Invoice) { i.Buyer.Name = "" }, "einvoice_data_missing", "buyer.name"},
		"buyer's country":  {func(i *invoice.Invoice) { i.Buyer.Country = "" }, "einvoice_data_missing", "buyer.country"},
		"reverse charge":   {reverse, "einvoice_data_missing", "buyer.taxIds"},
		"a line's name":    {func(i *invoice.Invoice) { i.Lines[0].Description = "" }, "einvoice_data_missing", "lines.description"},
		"a line untaxed": {func(i *invoice.Invoice) {
			i.Lines, i.Total = append(i.Lines, invoice.Line{ID: "b", Description: "b", Amount: 1}), i.Total+1
		}, "einvoice_data_missing", "lines.taxRateIds"},
		"draft":  {func(i *invoice.Invoice) { i.Status = invoice.InDraft }, "einvoice_unsupported", "status"},
		"void":   {func(i *invoice.Invoice) { i.Status = invoice.Void }, "einvoice_unsupported", "status"},
		"dinars": {func(i *invoice.Invoice) { i.Currency = "KWD" }, "einvoice_unsupported", "currency"},
		"two rates": {func(i *invoice.Invoice) { i.Lines[0].Rates = append(i.Lines[0].Rates, rate("2", 1, false)) },
			"einvoice_unsupported", "lines.taxRateIds"},
		"no lines":      {func(i *invoice.Invoice) { i.Lines = nil }, "einvoice_unsupported", "lines"},
		"another total": {func(i *invoice.Invoice) { i.Total++ }, "einvoice_unsupported", "total"},
	} {
		i := full()
		c.change(&i)
		_, err := einvoice.Of(document.OfInvoice(i))
		require.Error(t, err, name)
		require.Equal(t, [2]string{c.code, c.field}, [2]string{fault.From(err).Code, fault.From(err).Param}, name)
	}
}

// Numbers of countries without their code at the front are no VAT numbers by EN 16931.
func TestOf_TaxNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"GR", "EL094259216", "EL094259216"}, {"GB", "XI123456789", "XI123456789"}, {"KE", "P051234567A", ""}, {"CM", "CM1", "CM1"},
	} {
		i := issued(t, invoice.Line{Amount: 100, Rates: []tax.Rate{rate("1", 19, false)}})
		i.Seller.Country, i.Seller.TaxID = c[0], c[1]
		e := of(t, i)
		require.Equal(t, c[2], e.SellerVAT)
		require.Equal(t, c[2] == "", e.SellerTaxNumber != "")
	}
}

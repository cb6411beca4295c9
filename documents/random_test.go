package documents_test

import (
	"strings"
	"time"

	"pgregory.net/rapid"

	"perennial/billing/creditnote"
	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/postal"
	"perennial/billing/tax"
	"perennial/documents"
	"perennial/documents/words"
)

// anyText is what a person may write into a field, also with bad will: no text of it may change the page.
func anyText(t *rapid.T, what string) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{
			"Pro plan", "Åsa & Søn <ApS>", "Ελληνικά ΑΕ", "ООО «Ромашка»", `"><script>alert(1)</script>`, "{{ seller }}{% if %}",
			"</td></tr></table>", "<style>*{display:none}</style>", "&lt;b&gt;", "https://example.com/" + strings.Repeat("a", 90),
			strings.Repeat("W", 200), "مرحبا بالعالم", "url(\"regular.ttf\")", "100 % – “quoted” ’s", "]]> -->", "\\(PDF) Tj ET Q",
		}),
		rapid.StringMatching(`[A-Za-z0-9 .,&<>"'()äöüßéñçøλωжяш%€-]{1,60}`),
	).Draw(t, what)
}

func anyLanguage(t *rapid.T) string {
	var tags []string
	for _, l := range words.Languages {
		tags = append(tags, l.Tag)
	}
	return rapid.SampledFrom(tags).Draw(t, "language")
}

var rates = []tax.Rate{
	{ID: "txr_1", Name: "VAT", Percent: money.Whole(19)}, {ID: "txr_2", Name: "TVA", Percent: money.Whole(20), Inclusive: true},
	{ID: "txr_3", Name: "VAT", Percent: money.Whole(7)}, {ID: "txr_4", Name: "VAT", Percent: money.Whole(0)},
}

func anyLine(t *rapid.T, id string) invoice.Line {
	l := invoice.Line{
		ID: id, Kind: invoice.Recurring, Description: anyText(t, "description"),
		PlanID: rapid.SampledFrom([]string{"plan_1", "plan_2"}).Draw(t, "plan"),
		Amount: money.Minor(rapid.Int64Range(0, 5_000_000).Draw(t, "amount")),
	}
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		l.Quantity, l.UnitPrice = "1", money.FormatUnits(l.Amount, "EUR")
	case 1:
		l.Kind, l.Amount = invoice.ProrationCredit, -l.Amount
	case 2:
		steps := rapid.IntRange(1, 5).Draw(t, "steps")
		l.Quantity, l.Explanation = "12.5", &invoice.Explanation{}
		for range steps {
			l.Explanation.Steps = append(l.Explanation.Steps, invoice.Step{Quantity: "2", UnitPrice: "0.0035", Amount: "0.007"})
		}
	default:
	}
	if rapid.Bool().Draw(t, "has a period") {
		l.Period = documents.SampleInvoice("").Period
	}
	if l.Amount > 1 && rapid.IntRange(0, 3).Draw(t, "discounted") == 0 {
		l.Discounts = invoice.Shares{{CouponID: "coup_1", Code: "WELCOME", Amount: l.Amount / 2}}
	}
	return l
}

// anyInvoice is an issued invoice whose sums are those that the rules of invoices give it.
func anyInvoice(t *rapid.T) invoice.Invoice {
	i := invoice.Invoice{
		ID: "in_1", Number: 42, NumberText: rapid.StringMatching(`[A-Z0-9/._-]{0,20}[0-9]{1,12}`).Draw(t, "number"),
		Currency: rapid.SampledFrom([]money.Currency{"EUR", "USD", "JPY", "XAF", "KES"}).Draw(t, "currency"),
		Seller: invoice.Seller{
			Name: anyText(t, "seller"), Address: anyText(t, "seller's address"), Country: "DE", TaxID: "DE136695976",
		},
		Buyer: invoice.Buyer{
			Name: anyText(t, "buyer"), Email: "billing@example.com", Locale: anyLanguage(t), TimeZone: "UTC",
			Country: rapid.SampledFrom([]string{"DK", "KE", "CM", "US"}).Draw(t, "country"),
			Address: postal.Address{Line1: anyText(t, "street"), City: anyText(t, "city"), PostalCode: "1165"},
			TaxIDs:  tax.IDs{{Type: "eu_vat", Value: "DK13585628"}},
		},
		Status:   rapid.SampledFrom([]invoice.Status{invoice.Open, invoice.Paid, invoice.Uncollectible}).Draw(t, "status"),
		IssuedAt: day(12, 1), Period: period.Period{Start: day(12, 1), End: day(12, 31)},
		Memo: anyText(t, "memo"), TaxExempt: rapid.SampledFrom([]tax.Exemption{"", "", tax.Exempt, tax.Reverse}).Draw(t, "exempt"),
	}
	if rapid.Bool().Draw(t, "sent") {
		i.DueAt = day(12, 16)
	}
	one := rapid.SampledFrom(rates).Draw(t, "rate")
	for n := range rapid.IntRange(1, 60).Draw(t, "lines") {
		l := anyLine(t, "il_"+string(rune('a'+n)))
		if i.TaxExempt == "" {
			l.Rates = []tax.Rate{rapid.SampledFrom([]tax.Rate{one, rates[0]}).Draw(t, "rate of the line")}
		}
		i.Lines = append(i.Lines, l)
	}
	sums, err := invoice.SumsOf(i.Lines)
	if err != nil {
		t.Fatal(err)
	}
	i.Discount, i.Tax, i.Taxes, i.Total = sums.Discount, sums.Tax, sums.Taxes, sums.Total
	i.CreditApplied = money.Minor(rapid.Int64Range(0, int64(max(i.Total, 0))).Draw(t, "credit"))
	i.BroughtForward = money.Minor(rapid.SampledFrom([]int64{0, 0, 250}).Draw(t, "brought forward"))
	i.AmountDue = max(i.Total, 0) - i.CreditApplied + i.BroughtForward
	if i.Status == invoice.Paid {
		i.PaidAt, i.AmountPaid = day(12, 3), i.AmountDue
	}
	return i
}

// anyDocument is an invoice, or a credit note of all of its first line.
func anyDocument(t *rapid.T) document.Document {
	i := anyInvoice(t)
	first := i.Lines[0]
	if first.Net() <= 0 || rapid.Bool().Draw(t, "invoice") {
		return document.OfInvoice(i)
	}
	back := first
	back.Amount, back.Discounts = first.Net(), nil
	sums, err := invoice.SumsOf([]invoice.Line{back})
	if err != nil {
		t.Fatal(err)
	}
	return document.OfCreditNote(creditnote.Note{
		ID: "cn_1", Number: 7, InvoiceID: i.ID, Currency: i.Currency, Seller: i.Seller, Buyer: i.Buyer, TaxExempt: i.TaxExempt,
		Lines: []creditnote.Line{{InvoiceLineID: first.ID, Amount: back.Amount}}, Subtotal: back.Amount, Tax: sums.Tax,
		Taxes: sums.Taxes, Total: sums.Total, Balance: sums.Total, CreatedAt: day(12, 20).Add(time.Hour), Memo: i.Memo,
	}, i)
}

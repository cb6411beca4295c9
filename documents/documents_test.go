package documents_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/creditnote"
	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/billing/tax"
	"perennial/documents"
)

var update = flag.Bool("update", false, "write the pages anew")

func day(month time.Month, d int) time.Time { return time.Date(2026, month, d, 0, 0, 0, 0, time.UTC) }

func sample(t testing.TB, locale string) invoice.Invoice {
	t.Helper()
	return documents.SampleInvoice(locale)
}

func note(t testing.TB, of invoice.Invoice) creditnote.Note {
	t.Helper()
	return documents.SampleCreditNote(of)
}

// The pages are kept, so that a change of the template or of a language is seen.
func TestHTML_Pages(t *testing.T) {
	t.Parallel()
	exempt := sample(t, "nl")
	exempt.TaxExempt, exempt.Tax, exempt.Taxes, exempt.Total, exempt.AmountDue = tax.Reverse, 0, nil, 44995, 41451
	for name, d := range map[string]document.Document{
		"invoice.en":      document.OfInvoice(sample(t, "en")),
		"invoice.de":      document.OfInvoice(sample(t, "de")),
		"invoice.ar":      document.OfInvoice(sample(t, "ar")),
		"reverse.nl":      document.OfInvoice(exempt),
		"credit-note.en":  document.OfCreditNote(note(t, sample(t, "en")), sample(t, "en")),
		"no-language.und": document.OfInvoice(sample(t, "")),
	} {
		got, err := documents.HTML(d, "fr", "Europe/Berlin")
		require.NoError(t, err, name)
		again, err := documents.HTML(d, "fr", "Europe/Berlin")
		require.NoError(t, err)
		require.Equal(t, string(got), string(again), "the same bytes each time")
		file := filepath.Join("testdata", name+".html")
		if *update {
			require.NoError(t, os.WriteFile(file, got, 0o600))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%s; go test ./documents -update writes it anew", name)
	}
}

// Whatever a person wrote into a field is text on the page.
func TestHTML_HostileTexts(t *testing.T) {
	t.Parallel()
	hostile := `"><script>alert(1)</script><img src=x onerror=alert(1)>{{ seller }}{% include "/etc/passwd" %}`
	in := sample(t, "en")
	in.Seller.Name, in.Seller.Address, in.Seller.TaxID, in.Seller.Email = hostile, hostile, hostile, hostile
	in.Buyer.Name, in.Buyer.Email, in.Buyer.Region, in.Buyer.Address.Line1 = hostile, hostile, hostile, hostile
	in.Buyer.TaxIDs[0].Value, in.Memo, in.NumberText = hostile, hostile, hostile
	in.Lines[1].Discounts[0].Code, in.Taxes[0].Name = hostile, hostile
	for n := range in.Lines {
		in.Lines[n].Description = hostile
	}
	page, err := documents.HTML(document.OfInvoice(in), "en", "UTC")
	require.NoError(t, err)
	for _, bad := range []string{"<script", "<img", "onerror=alert(1)>"} {
		require.NotContains(t, string(page), bad)
	}
	require.Contains(t, string(page), "{{ seller }}", "a text is no template")
}

// A word without a space would leave its column on paper.
func TestHTML_LongWordsBreak(t *testing.T) {
	t.Parallel()
	in := sample(t, "en")
	in.Lines[0].Description = strings.Repeat("W", 100)
	page, err := documents.HTML(document.OfInvoice(in), "en", "UTC")
	require.NoError(t, err)
	require.Contains(t, string(page), strings.Repeat("W", 40)+"\u200bW")
}

func TestHTML_ThousandLines(t *testing.T) {
	t.Parallel()
	in := sample(t, "en")
	for range 1000 {
		in.Lines = append(in.Lines, in.Lines[1])
	}
	page, err := documents.HTML(document.OfInvoice(in), "en", "UTC")
	require.NoError(t, err)
	require.Equal(t, 1001, strings.Count(string(page), "<div dir=\"auto\">Seats</div>"))
}

func TestHTML_RefusesATimeZoneThatIsNone(t *testing.T) {
	t.Parallel()
	d := document.OfInvoice(sample(t, "en"))
	d.TimeZone = "Nowhere/Land"
	_, err := documents.HTML(d, "en", "UTC")
	require.Error(t, err)
}

// A receipt names the card as its owner knows it.
func TestHTML_Receipt(t *testing.T) {
	t.Parallel()
	i := sample(t, "de")
	i.Status, i.AmountPaid = invoice.Paid, i.AmountDue
	for want, by := range map[string]document.Method{
		"Visa •••• 4242":             {Type: "card", Brand: "visa", LastFour: "4242"},
		"Karte":                      {Type: "card"},
		"MTN Mobile Money •••• 0001": {Type: "mobile_money_mtn", LastFour: "0001"},
	} {
		d, err := document.OfPayment(payment.Transaction{
			ID: "txn_1", Type: payment.Charge, Status: payment.Success, InvoiceID: "in_1", Amount: 50000, Currency: "EUR",
			AmountRefunded: 1000, CompletedAt: day(12, 2),
		}, i, by)
		require.NoError(t, err)
		page, err := documents.HTML(d, "en", "UTC")
		require.NoError(t, err)
		for _, said := range []string{
			"Zahlungsbeleg", "Zahlungsart", "<td>" + want + "</td>", "2026-0042", "2. Dezember 2026", "500,00\u00a0€", "-10,00\u00a0€",
		} {
			require.Contains(t, string(page), said)
		}
		sameText(t, d)
	}
}

// The state of a receipt has the gender of a receipt.
func TestHTML_ReceiptsAgreeInGender(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string][2]string{
		"fr": {"Payé", "Payée"}, "es": {"Pagado", "Pagada"}, "pt": {"Pago", "Paga"}, "it": {"Pagata", "Pagata"},
	} {
		i := sample(t, locale)
		i.Status, i.AmountPaid = invoice.Paid, i.AmountDue
		d, err := document.OfPayment(payment.Transaction{
			ID: "txn_1", Type: payment.Charge, Status: payment.Success, InvoiceID: "in_1", Amount: 50000, Currency: "EUR",
		}, i, document.Method{})
		require.NoError(t, err)
		for n, d := range []document.Document{d, document.OfInvoice(i)} {
			page, err := documents.HTML(d, "en", "UTC")
			require.NoError(t, err)
			require.Contains(t, string(page), ">"+want[n]+"<", locale)
		}
	}
}

// A VAT number has the name that the law of the country has for it, any other number a name that suits all.
func TestHTML_NamesTaxNumbersByTheirType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ locale, country, seller, kind, buyer, wantSeller, wantBuyer string }{
		{"de", "DE", "DE136695976", "eu_vat", "DK13585628", "USt-IdNr.", "USt-IdNr."},
		{"de", "DE", "30/123/45678", "us_ein", "12-3456789", "Steuernummer", "Steuernummer"},
		{"it", "KE", "P051234567A", "ch_vat", "CHE-107.787.577 MWST", "Numero fiscale", "Partita IVA"},
		{"en", "GB", "GB980780684", "ke_pin", "P051234567A", "VAT ID", "Tax ID"},
	} {
		i := sample(t, c.locale)
		i.Seller.Country, i.Seller.TaxID = c.country, c.seller
		i.Buyer.TaxIDs = tax.IDs{{Type: c.kind, Value: c.buyer}}
		page, err := documents.HTML(document.OfInvoice(i), "en", "UTC")
		require.NoError(t, err)
		require.Contains(t, string(page), c.wantSeller+": "+c.seller)
		require.Contains(t, string(page), c.wantBuyer+": "+c.buyer)
	}
}

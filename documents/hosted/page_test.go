package hosted_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/document"
	"perennial/billing/hosted"
	"perennial/billing/invoice"
	pages "perennial/documents/hosted"
	"perennial/documents/words"
)

func page(state hosted.State, locale string) pages.Page {
	return pages.Page{
		State: state, Token: "token", TimeZone: "UTC",
		Document: document.Document{
			Kind: document.Invoice, State: document.Due, Number: "ACME-42", Locale: locale, Currency: "EUR",
			Seller: invoice.Seller{Name: "Acme"}, DueAt: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
			Sections: []document.Section{{Lines: []document.Line{{Description: "Pro", Amount: 1900}}}},
			Sums:     []document.Sum{{Kind: document.Subtotal, Amount: 1900}, {Kind: document.AmountDue, Amount: 1900}},
		},
		Methods: []customer.Method{
			{ID: "pm_1", Type: "card", Card: customer.Card{Brand: "visa", LastFour: "4242"}},
			{ID: "pm_2", Type: "mobile_money_mtn", Details: customer.PaymentDetails{PhoneNumber: "+237670000042"}},
		},
	}
}

func written(t *testing.T, p pages.Page) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, pages.Write(&out, p))
	return out.String()
}

func TestWrite_AsksForOneOfTheMethods(t *testing.T) {
	t.Parallel()
	p := page(hosted.Payable, "en")
	p.Declined = true
	out := written(t, p)
	for _, said := range []string{
		"Acme", "Invoice ACME-42", "€19.00", "Due</span> 28 February 2026", "Pay €19.00", "The last payment failed", `value="pm_1" checked`,
		"Visa •••• 4242", `value="pm_2"`, "MTN &#43;237*******42", `action="token/pay"`, `href="token/html"`,
	} {
		require.Contains(t, out, said)
	}
	require.NotContains(t, out, "670000042")
	require.NotContains(t, out, `name="phone"`)
	p.Wallets, p.Methods = true, nil
	require.Contains(t, written(t, p), `name="phone"`)
	p.Wallets = false
	require.Contains(t, written(t, p), "cannot be paid on this page")
}

// Texts of strangers stay texts, in every place where one can be.
func TestWrite_Hostile(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`
	p := page(hosted.Payable, "en")
	p.Token, p.Phone, p.Wallets, p.Operators = hostile, hostile, true, []string{"mobile_money_" + hostile}
	d := &p.Document
	d.Number, d.Seller.Name, d.Sections[0].Lines[0].Description, d.Sums[0].Name = hostile, hostile, hostile, hostile
	p.Methods = []customer.Method{{ID: hostile, Type: "card", Card: customer.Card{Brand: hostile, LastFour: hostile}}}
	for _, operators := range [][]string{nil, p.Operators} {
		p.Operators = operators
		out := written(t, p)
		require.NotContains(t, out, "<script")
		require.NotContains(t, out, "<img")
	}
	p.State, p.ConfirmURL = hosted.Confirm, "javascript:alert(1)"
	require.NotContains(t, written(t, p), "javascript:alert")
}

func TestWrite_ExpiredShowsNothingOfTheInvoice(t *testing.T) {
	t.Parallel()
	out := written(t, page(hosted.Expired, "en"))
	require.Contains(t, out, "This link has expired")
	for _, hidden := range []string{"€19.00", "Pro", "<form", "pm_1"} {
		require.NotContains(t, out, hidden)
	}
}

// Each language has all words, and every state its own message where the page asks for no payment.
func TestWords_AreCompleteInEachLanguage(t *testing.T) {
	t.Parallel()
	states := []hosted.State{
		hosted.Expired, hosted.Ended, hosted.Paid, hosted.Confirm, hosted.Prompt, hosted.Waiting, hosted.Resting,
	}
	for _, l := range words.Languages {
		text := reflect.ValueOf(pages.TextOf(l.Tag))
		for i := range text.NumField() {
			require.False(t, text.Field(i).IsZero(), "%s: %s", l.Tag, text.Type().Field(i).Name)
		}
		seen := map[string]bool{}
		for _, s := range states {
			said := pages.TextOf(l.Tag).Messages[s]
			require.NotEmpty(t, said, "%s: %s", l.Tag, s)
			require.False(t, seen[said], "%s: %s", l.Tag, said)
			seen[said] = true
		}
		for _, trouble := range []pages.Trouble{pages.NoWallet, pages.NotNow} {
			require.NotEmpty(t, pages.TextOf(l.Tag).Troubles[trouble], l.Tag)
		}
		require.Contains(t, pages.TextOf(l.Tag).Pay, "{amount}", l.Tag)
		require.Contains(t, written(t, page(hosted.Payable, l.Tag)), pages.TextOf(l.Tag).PayWith)
	}
}

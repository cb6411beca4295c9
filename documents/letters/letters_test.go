package letters

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/email"
	"perennial/documents/words"
)

var named = regexp.MustCompile(`\{([^}]*)\}`)

// facts are all that any letter says.
func facts(k email.Kind, locale string) Facts {
	day := func(d int) time.Time { return time.Date(2026, 3, d, 23, 30, 0, 0, time.UTC) }
	return Facts{
		Kind: k, Locale: locale, TimeZone: "Africa/Douala", Seller: "Acme & Co", Customer: "Ada <Lovelace>", Number: "ACME-7",
		Of: "ACME-6", Plan: "Pro", Card: "Visa 4242", Expiry: "2028-08", Amount: 123450, Currency: "EUR", Date: day(1), Due: day(2),
		Next: day(3), By: day(4),
	}
}

// Each language has each letter, with the same facts in each line. A line that is added to one is missing in the others
// until they are written.
func TestLanguages_AreComplete(t *testing.T) {
	t.Parallel()
	require.Len(t, languages, len(words.Languages))
	for _, l := range words.Languages {
		have := languages[l.Tag]
		require.NotEmpty(t, have.Greeting, l.Tag)
		require.Contains(t, have.Hello, "{customer}", l.Tag)
		for _, label := range []string{have.Pay, have.View, have.Confirm} {
			require.NotEmpty(t, label, l.Tag)
		}
		require.Len(t, have.Kinds, len(email.Kinds()), l.Tag)
		for _, k := range email.Kinds() {
			ours, first := have.Kinds[k], english.Kinds[k]
			require.Equal(t, naming(first.Subject), naming(ours.Subject), "%s %s", l.Tag, k)
			for _, both := range [][2][]string{{first.Lines, ours.Lines}, {first.Ends, ours.Ends}} {
				require.Len(t, both[1], len(both[0]), "%s %s", l.Tag, k)
				for i := range both[0] {
					require.NotEmpty(t, both[1][i])
					require.ElementsMatch(t, naming(both[0][i]), naming(both[1][i]), "%s %s: %s", l.Tag, k, both[1][i])
				}
			}
		}
	}
}

// A letter calls a document what the document calls itself. Arabic puts its article before each word.
func TestLanguages_NameDocumentsAsTheyDo(t *testing.T) {
	t.Parallel()
	for _, l := range words.Languages {
		for k, title := range map[email.Kind]string{
			email.InvoiceIssued: l.Invoice, email.CreditNote: l.CreditNote, email.Receipt: l.Receipt,
		} {
			subject := languages[l.Tag].Kinds[k].Subject
			if l.Tag == "ar" {
				subject = regexp.MustCompile("(^| )ال").ReplaceAllString(subject, "$1")
			}
			require.Contains(t, strings.ToLower(subject), strings.ToLower(title), l.Tag)
		}
	}
}

// The link is a button to what the reader does there, and shows its address.
func TestWrite_Link(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind  email.Kind
		pay   bool
		label string
	}{
		{email.InvoiceIssued, true, "Pay invoice"}, {email.InvoiceIssued, false, "View invoice"},
		{email.PaymentFailed, true, "Pay invoice"}, {email.ConfirmationNeeded, false, "Confirm payment"},
	} {
		f := facts(c.kind, "en")
		f.Link, f.Pay = "https://pay.example/invoice/abc", c.pay
		letter, err := Write(f)
		require.NoError(t, err)
		require.Contains(t, letter.Text, "\n\n"+c.label+"\n\nhttps://pay.example/invoice/abc\n\n")
		require.Equal(t, 2, strings.Count(letter.HTML, `href="https://pay.example/invoice/abc"`))
	}
}

func naming(line string) (names []string) {
	for _, found := range named.FindAllStringSubmatch(line, -1) {
		names = append(names, found[1])
	}
	return names
}

// Text and HTML of each letter say the same, and no letter shows the name of a fact.
func TestWrite_BothPartsSayTheSame(t *testing.T) {
	t.Parallel()
	for _, l := range words.Languages {
		for _, k := range email.Kinds() {
			f := facts(k, l.Tag)
			f.Link = "https://pay.example/confirm/abc?x=1&y=2"
			letter, err := Write(f)
			require.NoError(t, err)
			require.Equal(t, l.Tag, letter.Language)
			require.NotContains(t, letter.Subject+letter.Text+letter.HTML, "{")
			require.NotContains(t, letter.Text, "}")
			require.Contains(t, letter.HTML, `dir="`+map[bool]string{true: "rtl", false: "ltr"}[l.RightLeft]+`"`)
			require.NotContains(t, letter.HTML, "<Lovelace>")
			var paragraphs []string
			for _, p := range regexp.MustCompile(`(?s)<p[^>]*>(.*?)</p>`).FindAllStringSubmatch(letter.HTML, -1) {
				paragraphs = append(paragraphs, unescape(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(p[1], "")))
			}
			require.Equal(t, strings.TrimSuffix(letter.Text, "\n"), strings.Join(paragraphs, "\n\n"))
		}
	}
}

func unescape(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&#39;", "'", "&#34;", `"`, "&#43;", "+").Replace(s)
}

func TestWrite_ByTheLocaleAndTimeZoneOfTheReader(t *testing.T) {
	t.Parallel()
	letter, err := Write(facts(email.Receipt, "de-AT"))
	require.NoError(t, err)
	require.Equal(t, "Zahlungsbeleg von Acme & Co: € 1.234,50", strings.ReplaceAll(letter.Subject, "\u00a0", " "))
	require.Contains(t, letter.Text, "2. März 2026", "half past eleven at night in UTC is the next day in Douala")

	f := facts(email.CardWillExpire, "pt-BR")
	letter, err = Write(f)
	require.NoError(t, err)
	require.Contains(t, letter.Text, "agosto 2028")
}

// A letter says nothing about what is not known.
func TestWrite_LeavesOutWhatIsAbsent(t *testing.T) {
	t.Parallel()
	f := facts(email.PaymentFailed, "xx")
	f.Number, f.Next, f.Customer = "", time.Time{}, ""
	letter, err := Write(f)
	require.NoError(t, err)
	require.Equal(t, "Hello,\n\nYour payment of €1,234.50 did not succeed.\n\n"+
		"Please check your payment method, or choose another one.\n\nAcme & Co\n", letter.Text)

	f = facts(email.TrialWillEnd, "en")
	f.Ends = true
	letter, err = Write(f)
	require.NoError(t, err)
	require.Contains(t, letter.Text, "Your subscription ends with it")
}

// Names are of customers: they are shown as they are, and are no templates.
func TestWrite_NamesAreTextOnly(t *testing.T) {
	t.Parallel()
	for _, evil := range []string{"{amount}", "{{.Subject}}", "<script>alert(1)</script>", "</p><a href=x>", "\"onload=\"x"} {
		f := facts(email.Receipt, "en")
		f.Customer, f.Number, f.Seller = evil, evil, evil
		letter, err := Write(f)
		require.NoError(t, err)
		require.Contains(t, letter.Text, "Hello "+evil+",")
		require.NotContains(t, letter.HTML, "<script>")
		require.NotContains(t, letter.HTML, "<a href")
	}
	f := facts(email.ConfirmationNeeded, "en")
	f.Link = "javascript:alert(1)"
	letter, err := Write(f)
	require.NoError(t, err)
	require.NotContains(t, letter.HTML, `href="javascript`)
}

func TestWrite_Faults(t *testing.T) {
	t.Parallel()
	f := facts(email.Receipt, "en")
	f.Currency = "XXQ"
	_, err := Write(f)
	require.Error(t, err)
	f = facts(email.Receipt, "en")
	f.TimeZone = "Nowhere/Land"
	_, err = Write(f)
	require.Error(t, err)
}

// An invoice is due at the end of its last day, which is the day that the letter names.
func TestWrite_NamesTheLastDayToPay(t *testing.T) {
	t.Parallel()
	f := facts(email.InvoiceIssued, "en")
	f.Due = time.Date(2026, 3, 9, 23, 0, 0, 0, time.UTC) // midnight in Douala
	letter, err := Write(f)
	require.NoError(t, err)
	require.Contains(t, letter.Text, "9 March 2026")
	f.Due = time.Time{}
	letter, err = Write(f)
	require.NoError(t, err)
	require.NotContains(t, letter.Text, "pay it by")
}

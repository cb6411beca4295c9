// Package words owns the texts of documents in each language, and how the language writes dates, numbers and amounts.
// It does not own what a document says (billing/document).
package words

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/bojanz/currency"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"perennial/billing/document"
	"perennial/billing/money"
)

// Language is a language in which documents are written.
type Language struct {
	Tag       string // BCP 47
	RightLeft bool   // it is written from the right
	Date      string // with {day}, {month} and {year}
	FirstDay  string // how the first day of a month is written; empty: 1
	Months    [12]string
	// ReceiptPaid is the state of a receipt, where it has another gender than an invoice; empty: as of an invoice.
	ReceiptPaid string
	Texts
}

// Texts are the words of a document.
type Texts struct {
	Invoice, CreditNote, Receipt      string // titles
	States                            map[document.State]string
	Number, IssuedOn, DueOn, PaidOn   string
	CreditOf                          string // of a credit note or a receipt: the invoice that it is of
	PaidBy, Card                      string // of a receipt: the label of the payment method, and what a card is
	From, To                          string
	TaxID, VATID                      string // of any tax number, and of a VAT number
	Description, Quantity, Price, Sum string // heads of columns
	Page                              string // with {page} and {pages}
	Sums                              map[document.SumKind]string
	Notes                             map[document.Note]string
}

// Languages are all of them. The first is for readers of any other.
var Languages = []Language{english, german, french, spanish, portuguese, italian, dutch, swahili, arabic}

// Of returns the language of a locale, such as de-AT.
func Of(locale string) Language {
	base, _, _ := strings.Cut(strings.ReplaceAll(locale, "_", "-"), "-")
	for _, l := range Languages {
		if strings.EqualFold(l.Tag, base) {
			return l
		}
	}
	return Languages[0]
}

// DateOf writes a day.
func (l Language) DateOf(t time.Time) string {
	day := strconv.Itoa(t.Day())
	if t.Day() == 1 {
		day = cmp.Or(l.FirstDay, day)
	}
	return strings.NewReplacer(
		"{day}", day, "{month}", l.Months[t.Month()-1], "{year}", strconv.Itoa(t.Year()),
	).Replace(l.Date)
}

// PageOf writes the number of a page.
func (l Language) PageOf(page, pages int) string {
	return strings.NewReplacer("{page}", strconv.Itoa(page), "{pages}", strconv.Itoa(pages)).Replace(l.Page)
}

// Country writes the name of a country by its code; the code, where CLDR has no name.
func (l Language) Country(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	names := display.Regions(language.Make(l.Tag))
	if names == nil {
		return code
	}
	return cmp.Or(names.Name(region), code)
}

// Amount writes an amount with its currency, as the locale does. Fault: the currency is not one.
func Amount(locale string, c money.Currency, amount money.Minor) (string, error) {
	out, err := currency.NewAmountFromInt64(int64(amount), string(c))
	if err != nil {
		return "", err
	}
	return formatter(locale).Format(out), nil
}

// Decimal writes a decimal in major units of a currency with all its digits, without the currency.
func Decimal(locale, decimal string) string {
	whole, fraction, has := strings.Cut(decimal, ".")
	f := formatter(locale)
	f.CurrencyDisplay = currency.DisplayNone
	f.MaxDigits = uint8(len(fraction)) //nolint:gosec // a decimal has at most some twenty digits
	f.MinDigits = f.MaxDigits
	one, err := currency.NewAmount(whole+map[bool]string{true: "."}[has]+fraction, "USD") // any currency: it is not shown
	if err != nil {
		return decimal
	}
	return strings.TrimSpace(f.Format(one))
}

func formatter(locale string) *currency.Formatter {
	return currency.NewFormatter(currency.NewLocale(locale))
}

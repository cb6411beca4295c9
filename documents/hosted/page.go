// Package hosted shows the page of one invoice to its payer: how it stands, how to pay it, and what it says. It does
// not own what the page offers (billing/hosted), nor the invoice as a document (documents).
package hosted

import (
	_ "embed"
	"html/template"
	"io"
	"strings"
	"time"

	"perennial/billing/customer"
	"perennial/billing/document"
	"perennial/billing/hosted"
	"perennial/documents/words"
)

//go:embed page.html
var source string

var page = template.Must(template.New("page").Parse(source))

// Page is what the page depends on.
type Page struct {
	Document  document.Document
	State     hosted.State
	Declined  bool   // the last payment failed
	Token     string // the last part of its link
	Root      string // from the address at which the page is shown up to that of all such pages; empty: they are the same
	Locale    string // of the environment, where the buyer has none; empty: English
	TimeZone  string // likewise
	Methods   []customer.Method
	Wallets   bool
	Operators []string // among which the payer has to choose for Phone
	Phone     string   // as the payer gave it
	Trouble   Trouble  // why the payment that was asked for did not begin
	// ConfirmURL is the link on which the payer confirms the payment that is under way, in the state Confirm.
	ConfirmURL string
}

// Trouble says why a payment did not begin.
type Trouble string

// The troubles.
const (
	NoWallet Trouble = "no_wallet" // no operator has the number
	NotNow   Trouble = "not_now"   // as when an older invoice has to be paid first
)

// Write writes the page in the language and the time zone of the buyer. Fault: the time zone or the currency is none.
func Write(w io.Writer, p Page) error {
	if p.Document.Locale != "" {
		p.Locale = p.Document.Locale
	}
	if p.Document.TimeZone != "" {
		p.TimeZone = p.Document.TimeZone
	}
	in, err := time.LoadLocation(p.TimeZone)
	if err != nil {
		return err
	}
	shown, err := view(p, words.Of(p.Locale), in)
	if err != nil {
		return err
	}
	return page.Execute(w, shown)
}

// WriteUnknown writes the page of a link that opens nothing, in a language that the browser asked for.
func WriteUnknown(w io.Writer, locale string) error {
	lang := words.Of(locale)
	text := TextOf(lang.Tag)
	return page.Execute(w, shown{
		Text: text, Language: lang.Tag, Direction: direction(lang), Title: text.UnknownTitle, Message: text.UnknownWhy,
	})
}

// shown is the page as its template gets it.
type shown struct {
	Text
	Language, Direction   string
	Title, Seller, Number string
	State                 hosted.State
	StateText, Message    string
	Trouble, Due          string
	Amount, Document      string
	Refresh               bool
	Page                  Page
	Choices, Operators    []choice
	Rows, Sums            []row
	Token                 string
	PayLabel              string
}

type choice struct {
	Value, Label string
	First        bool
}

type row struct{ Label, Value string }

func view(p Page, lang words.Language, in *time.Location) (shown, error) {
	d, text := p.Document, TextOf(lang.Tag)
	asked := d.Sums[len(d.Sums)-1].Amount
	amount, err := words.Amount(p.Locale, d.Currency, asked)
	if err != nil {
		return shown{}, err
	}
	out := shown{
		Text: text, Language: lang.Tag, Direction: direction(lang), Title: lang.Invoice + " " + d.Number, Seller: d.Seller.Name,
		Number: d.Number, State: p.State, StateText: lang.States[d.State], Message: text.Messages[p.State],
		Trouble: text.Troubles[p.Trouble], Amount: amount, Token: p.Token, Page: p,
		Refresh:  p.State == hosted.Waiting || p.State == hosted.Prompt,
		PayLabel: strings.ReplaceAll(text.Pay, "{amount}", amount),
	}
	if p.State == hosted.Expired {
		return shown{
			Text: text, Language: out.Language, Direction: out.Direction, Title: out.Title, Seller: out.Seller,
			Message: out.Message,
		}, nil
	}
	if p.Declined && p.State == hosted.Payable && out.Trouble == "" {
		out.Trouble = text.Declined
	}
	if p.State == hosted.Payable && len(p.Methods) == 0 && !p.Wallets {
		out.Message = text.NoWay
	}
	if !d.DueAt.IsZero() && d.State == document.Due {
		out.Due = lang.DateOf(d.DueAt.Add(-time.Nanosecond).In(in)) // the last day on which it is paid in time
	}
	for n, m := range p.Methods {
		out.Choices = append(out.Choices, choice{Value: m.ID, Label: label(m, text), First: n == 0})
	}
	for n, o := range p.Operators {
		out.Operators = append(out.Operators, choice{Value: o, Label: operator(o), First: n == 0})
	}
	for _, s := range d.Sections {
		for _, l := range s.Lines {
			value, err := words.Amount(p.Locale, d.Currency, l.Amount)
			if err != nil {
				return out, err
			}
			out.Rows = append(out.Rows, row{Label: l.Description, Value: value})
		}
	}
	for _, s := range d.Sums {
		value, err := words.Amount(p.Locale, d.Currency, s.Amount)
		if err != nil {
			return out, err
		}
		name := lang.Sums[s.Kind]
		if s.Name != "" {
			name += ": " + s.Name
		}
		out.Sums = append(out.Sums, row{Label: name, Value: value})
	}
	return out, nil
}

func direction(lang words.Language) string {
	if lang.RightLeft {
		return "rtl"
	}
	return "ltr"
}

// label names a payment method to its owner, by no more than they need to know it.
func label(m customer.Method, text Text) string {
	if strings.HasPrefix(m.Type, customer.MobileMoney) {
		return operator(m.Type) + " " + m.MaskedPhone()
	}
	name := text.Card
	if m.Card.Brand != "" {
		name = strings.ToUpper(m.Card.Brand[:1]) + m.Card.Brand[1:]
	}
	if m.Card.LastFour != "" {
		name += " •••• " + m.Card.LastFour
	}
	return name
}

// operator writes the type of a wallet as people know it: mobile_money_mtn is MTN.
func operator(t string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(t, customer.MobileMoney), "_", " ")
	if len(name) <= len("mtn") {
		return strings.ToUpper(name)
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

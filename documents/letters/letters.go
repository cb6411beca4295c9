// Package letters owns what mails to customers say, in each language, as text and as HTML. It does not own the
// languages themselves and how they write amounts and dates (words), which mail follows from what (billing/email), nor
// its bytes on the wire (mail).
package letters

import (
	"bytes"
	_ "embed"
	"html/template"
	"strings"
	"time"

	"perennial/billing/email"
	"perennial/billing/money"
	"perennial/documents/words"
)

// Facts are what a letter tells. What is absent is not said: a line that needs it is left out.
type Facts struct {
	Kind     email.Kind
	Ends     bool   // of a trial: the subscription ends with it
	Locale   string // BCP 47, of the reader
	TimeZone string // IANA, of the reader; empty: UTC

	Seller   string // never empty
	Customer string // name
	Number   string // of the invoice or credit note
	Of       string // of a credit note: the number of its invoice
	Plan     string // name
	Card     string // as its owner knows it, such as Visa 4242
	Expiry   string // of the card, such as 2028-08
	Link     string // where the reader acts, or sees the invoice
	Pay      bool   // the reader is asked to pay there

	Amount   money.Minor
	Currency money.Currency // empty: there is no amount

	Date time.Time // of what happened, or will
	Due  time.Time // by when an invoice is to be paid: the end of the last day for it
	Next time.Time // when a payment is tried again
	By   time.Time // by when the reader must have acted
}

// Letter is a mail's content.
type Letter struct{ Language, Subject, Text, HTML string }

// texts are the letters of one language.
type texts struct {
	// Hello greets a customer by name, and Greeting one without.
	Hello, Greeting string
	// Pay, View and Confirm are labels of the link, by what the reader does there.
	Pay, View, Confirm string
	Kinds              map[email.Kind]kind
}

// kind is a letter of one kind. Lines are paragraphs with facts in braces; one whose facts are absent is left out.
type kind struct {
	Subject string
	Lines   []string
	// Ends are the lines instead of Lines about a trial with which the subscription ends.
	Ends []string
}

// languages are the texts by the tags of words.Languages.
var languages = map[string]texts{
	"en": english, "de": german, "fr": french, "es": spanish, "pt": portuguese, "it": italian, "nl": dutch, "sw": swahili,
	"ar": arabic,
}

//go:embed letter.html
var pageSource string

var page = template.Must(template.New("letter").Parse(pageSource))

// Write writes a letter. Fault: the time zone or the currency is none.
func Write(f Facts) (Letter, error) {
	lang := words.Of(f.Locale)
	said, err := f.said(lang)
	if err != nil {
		return Letter{}, err
	}
	t := languages[lang.Tag]
	k := t.Kinds[f.Kind]
	lines := k.Lines
	if f.Ends {
		lines = k.Ends
	}
	greeting := t.Greeting
	if f.Customer != "" {
		greeting = t.Hello
	}
	var paragraphs []paragraph
	for _, line := range append([]string{greeting}, lines...) {
		if text, all := said.in(line); all {
			paragraphs = append(paragraphs, paragraph{Text: text})
		}
	}
	if f.Link != "" { // on a line of its own in the text, which mail programs make a link of
		paragraphs = append(paragraphs, paragraph{Text: t.label(f), Button: f.Link}, paragraph{Text: f.Link, Link: true})
	}
	paragraphs = append(paragraphs, paragraph{Text: f.Seller})
	subject, _ := said.in(k.Subject)
	return write(lang, subject, paragraphs)
}

// label returns what the reader does behind the link.
func (t texts) label(f Facts) string {
	switch {
	case f.Kind == email.ConfirmationNeeded:
		return t.Confirm
	case f.Pay:
		return t.Pay
	default:
		return t.View
	}
}

// paragraph is one of a letter. A link shows its own address: a reader sees where it leads.
type paragraph struct {
	Text   string
	Button string // where it leads, as a button; empty: it is none
	Link   bool
}

func write(lang words.Language, subject string, paragraphs []paragraph) (Letter, error) {
	var plain []string
	for _, p := range paragraphs {
		plain = append(plain, p.Text)
	}
	direction := "ltr"
	if lang.RightLeft {
		direction = "rtl"
	}
	var html bytes.Buffer
	err := page.Execute(&html, map[string]any{
		"Language": lang.Tag, "Direction": direction, "Subject": subject, "Paragraphs": paragraphs,
	})
	return Letter{
		Language: lang.Tag, Subject: subject, Text: strings.Join(plain, "\n\n") + "\n", HTML: html.String(),
	}, err
}

// said are the facts in the words of a language, by their names in braces; empty: absent.
type said map[string]string

func (f Facts) said(lang words.Language) (said, error) {
	in, err := time.LoadLocation(f.TimeZone)
	if err != nil {
		return nil, err
	}
	day := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return lang.DateOf(t.In(in))
	}
	due := f.Due
	if !due.IsZero() {
		due = due.Add(-1) // the last day, which ends at that moment
	}
	out := said{
		"seller": f.Seller, "customer": f.Customer, "number": f.Number, "of": f.Of, "plan": f.Plan, "card": f.Card,
		"date": day(f.Date), "due": day(due), "next": day(f.Next), "by": day(f.By), "link": f.Link,
	}
	if f.Currency != "" {
		if out["amount"], err = words.Amount(f.Locale, f.Currency, f.Amount); err != nil {
			return nil, err
		}
	}
	if month, err := time.Parse("2006-01", f.Expiry); err == nil {
		out["expiry"] = lang.Months[month.Month()-1] + " " + month.Format("2006")
	}
	return out, nil
}

// in puts the facts into a line, and reports whether it had all that the line names. A fact is never read for facts
// itself: names are of customers.
func (s said) in(line string) (string, bool) {
	var b strings.Builder
	all := true
	for line != "" {
		before, rest, found := strings.Cut(line, "{")
		b.WriteString(before)
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		if s[name] == "" {
			all = false
		}
		b.WriteString(s[name])
		line = after
	}
	return b.String(), all
}

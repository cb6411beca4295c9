// Package documents shows invoices and credit notes to people, from one template. It does not own what a document says
// (billing/document), its words (words), nor how templates are kept in bounds (template).
package documents

import (
	_ "embed"
	"html"
	"strings"
	"time"

	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/documents/template"
	"perennial/documents/words"
)

//go:embed document.liquid
var source string

// builtIn is the template of documents for which no other one is published.
var builtIn = func() *template.Template {
	t, err := template.Parse(source)
	if err != nil {
		panic(err)
	}
	return t
}()

// HTML returns a document as a page of its own, in the language and the time zone of its buyer, or else these. It needs
// nothing from elsewhere, and has no script. Fault: the time zone or the currency is none.
func HTML(d document.Document, locale, timeZone string) ([]byte, error) {
	if d.Locale != "" {
		locale = d.Locale
	}
	if d.TimeZone != "" {
		timeZone = d.TimeZone
	}
	where, err := time.LoadLocation(timeZone)
	if err != nil {
		return nil, err
	}
	w := writer{Document: d, locale: locale, in: where, lang: words.Of(locale)}
	values, err := w.values()
	if err != nil {
		return nil, err
	}
	return builtIn.Render(values)
}

// writer writes the values of one document as a template gets them: all of them texts, escaped for HTML, because the
// language of templates does not escape.
type writer struct {
	document.Document

	locale string
	in     *time.Location
	lang   words.Language
}

func (w writer) values() (map[string]any, error) {
	title := w.lang.Invoice
	if w.Kind == document.CreditNote {
		title = w.lang.CreditNote
	}
	sections, err := w.sections()
	if err != nil {
		return nil, err
	}
	sums, err := w.sums()
	if err != nil {
		return nil, err
	}
	var notes []string
	for _, n := range w.Notes {
		notes = append(notes, text(w.lang.Notes[n]))
	}
	dir := "ltr"
	if w.lang.RightLeft {
		dir = "rtl"
	}
	l := w.lang
	return map[string]any{
		"language": l.Tag, "direction": dir, "title": title, "kind": string(w.Kind), "state": string(w.State),
		"stateText": l.States[w.State], "facts": w.facts(), "fromLabel": l.From, "toLabel": l.To,
		"seller": w.seller(), "buyer": w.buyer(), "sections": sections, "sums": sums, "notes": notes,
		"memo":        lines(w.Memo),
		"description": l.Description, "quantity": l.Quantity, "price": l.Price, "amount": l.Sum,
	}, nil
}

// facts are the number and the dates.
func (w writer) facts() (facts []map[string]string) {
	add := func(label, value string) {
		if value != "" {
			facts = append(facts, map[string]string{"label": text(label), "value": text(value)})
		}
	}
	add(w.lang.Number, w.Number)
	add(w.lang.CreditOf, w.Of)
	add(w.lang.IssuedOn, w.day(w.IssuedAt))
	add(w.lang.DueOn, w.day(w.DueAt))
	add(w.lang.PaidOn, w.day(w.PaidAt))
	return facts
}

func (w writer) day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return w.lang.DateOf(t.In(w.in))
}

// during writes a period by its first and its last day: one that ends at midnight does not reach into that day.
func (w writer) during(p period.Period) string {
	if p.Start.IsZero() || p.End.IsZero() {
		return ""
	}
	first, last := w.day(p.Start), w.day(p.End.Add(-time.Nanosecond))
	if first == last {
		return first
	}
	return first + " – " + last
}

func (w writer) sections() (all []map[string]any, err error) {
	for _, s := range w.Sections {
		var rows []map[string]any
		for _, l := range s.Lines {
			amount, err := words.Amount(w.locale, w.Currency, l.Amount)
			if err != nil {
				return nil, err
			}
			rows = append(rows, map[string]any{
				"description": text(l.Description), "quantity": text(w.decimal(l.Quantity)), "price": text(w.decimal(l.UnitPrice)),
				"steps": w.steps(l.Steps), "amount": text(amount),
			})
		}
		all = append(all, map[string]any{"period": text(w.during(s.Period)), "lines": rows})
	}
	return all, nil
}

// steps writes how an amount was calculated, one text a step.
func (w writer) steps(steps []invoice.Step) (out []string) {
	for _, s := range steps {
		said := w.decimal(s.Amount)
		if s.Quantity != "" && s.UnitPrice != "" {
			said = w.decimal(s.Quantity) + " × " + w.decimal(s.UnitPrice) + " = " + said
		}
		out = append(out, text(said))
	}
	return out
}

func (w writer) decimal(d string) string {
	if d == "" {
		return ""
	}
	return words.Decimal(w.locale, d)
}

func (w writer) sums() (all []map[string]any, err error) {
	for n, s := range w.Sums {
		amount, err := words.Amount(w.locale, w.Currency, s.Amount)
		if err != nil {
			return nil, err
		}
		label := w.lang.Sums[s.Kind]
		switch {
		case s.Percent != "":
			base, err := words.Amount(w.locale, w.Currency, s.Base)
			if err != nil {
				return nil, err
			}
			label += ": " + s.Name + " " + w.decimal(s.Percent) + " % × " + base
		case s.Name != "":
			label += ": " + s.Name
		}
		all = append(all, map[string]any{
			"kind": string(s.Kind), "label": text(label), "amount": text(amount), "last": n == len(w.Sums)-1,
		})
	}
	return all, nil
}

func (w writer) seller() []string {
	s := w.Seller
	return append(texts(s.Name, s.Address, s.Country, s.Email), w.taxID(s.TaxID)...)
}

func (w writer) buyer() []string {
	b := w.Buyer
	place := strings.TrimSpace(b.Address.PostalCode + " " + b.Address.City)
	out := texts(b.Name, b.Address.Line1, b.Address.Line2, place, b.Region, b.Country, b.Email)
	for _, id := range b.TaxIDs {
		out = append(out, w.taxID(id.Value)...)
	}
	return out
}

func (w writer) taxID(id string) []string {
	if id == "" {
		return nil
	}
	return texts(w.lang.TaxID + ": " + id)
}

// texts returns the texts that are not empty.
func texts(all ...string) (out []string) {
	for _, one := range all {
		if one != "" {
			out = append(out, text(one))
		}
	}
	return out
}

// lines divides a text of a person into its lines.
func lines(s string) (out []string) {
	for one := range strings.Lines(s) {
		out = append(out, text(strings.TrimRight(one, "\r\n")))
	}
	return out
}

// longest is the longest word that a line of a table bears.
const longest = 40

// text escapes a text, and lets a word that is too long for its column break.
func text(s string) string {
	var b strings.Builder
	run := 0
	for _, r := range s {
		switch {
		case r == ' ' || r == '-' || r == '\u200b':
			run = 0
		case run == longest:
			b.WriteRune('\u200b')
			run = 1
		default:
			run++
		}
		b.WriteRune(r)
	}
	return html.EscapeString(b.String())
}

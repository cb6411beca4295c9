package documents

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"perennial/billing/document"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/taxid"
	"perennial/documents/words"
)

// writer writes the values of one document as a template gets them: all of them texts, escaped for HTML, because the
// language of templates does not escape.
type writer struct {
	document.Document

	locale string
	in     *time.Location
	lang   words.Language
	design *Design
	own    map[string]string // the company's texts in the language
}

func (w writer) values() (map[string]any, error) {
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
	asked := w.headline()
	amount, err := words.Amount(w.locale, w.Currency, asked.Amount)
	if err != nil {
		return nil, err
	}
	dir, start, end := "ltr", "left", "right"
	if w.lang.RightLeft {
		dir, start, end = "rtl", "right", "left"
	}
	var logo any // nil: none
	if w.design.logo != nil {
		logo = w.design.logo
	}
	l := w.lang
	return map[string]any{
		"language": l.Tag, "direction": dir, "start": start, "end": end, "title": text(w.title()), "kind": string(w.Kind), "state": string(w.State),
		"stateText": w.state(), "facts": w.facts(), "fromLabel": l.From, "toLabel": l.To,
		"heading": text(w.Seller.Name), "headlineLabel": text(l.Sums[asked.Kind]), "headline": text(amount),
		"seller": w.seller(), "buyer": w.buyer(), "sections": sections, "sums": sums, "notes": notes,
		"memo":        lines(w.Memo),
		"description": l.Description, "quantity": l.Quantity, "price": l.Price, "amount": l.Sum,
		"accent": w.design.of.Accent, "logo": logo, "footer": lines(w.own[document.Footer]), "texts": w.texts(),
	}, nil
}

// texts are the company's own texts by their names.
func (w writer) texts() map[string]string {
	out := map[string]string{}
	for name, s := range w.own {
		out[name] = text(s)
	}
	return out
}

func (w writer) state() string {
	if w.Kind == document.Receipt && w.State == document.Paid && w.lang.ReceiptPaid != "" {
		return w.lang.ReceiptPaid
	}
	return w.lang.States[w.State]
}

func (w writer) title() string {
	switch w.Kind {
	case document.CreditNote:
		return cmp.Or(w.own[document.CreditNoteTitle], w.lang.CreditNote)
	case document.Receipt:
		return cmp.Or(w.own[document.ReceiptTitle], w.lang.Receipt)
	case document.Invoice:
	}
	return cmp.Or(w.own[document.InvoiceTitle], w.lang.Invoice)
}

// headline is the sum that a reader looks for.
func (w writer) headline() document.Sum {
	for _, s := range w.Sums {
		if s.Kind == document.AmountDue || s.Kind == document.AmountPaid {
			return s
		}
	}
	return w.Sums[len(w.Sums)-1]
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
	add(w.lang.DueOn, w.lastDay(w.DueAt))
	add(w.lang.PaidOn, w.day(w.PaidAt))
	add(w.lang.PaidBy, w.method())
	return facts
}

// method names the payment method of a receipt.
func (w writer) method() string {
	m := w.PaidBy
	name := w.lang.Card
	operator, mobile := strings.CutPrefix(m.Type, "mobile_money_")
	switch {
	case m == document.Method{}:
		return ""
	case mobile:
		name = strings.ToUpper(operator) + " Mobile Money"
	case m.Brand != "":
		first, size := utf8.DecodeRuneInString(m.Brand)
		name = string(unicode.ToUpper(first)) + m.Brand[size:]
	}
	if m.LastFour != "" {
		name += " •••• " + m.LastFour
	}
	return name
}

// lastDay writes the day that ends at a time: a time until which something holds does not reach into the next day.
func (w writer) lastDay(end time.Time) string {
	if end.IsZero() {
		return ""
	}
	return w.day(end.Add(-time.Nanosecond))
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
	first, last := w.day(p.Start), w.lastDay(p.End)
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
				"description": text(l.Description), "quantity": text(w.decimal(l.Quantity)), "price": text(w.price(l.UnitPrice)),
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

// price writes a price with all the decimals of its currency, or more.
func (w writer) price(d string) string {
	if decimals := w.Currency.Decimals(); d != "" && decimals > 0 {
		whole, fraction, _ := strings.Cut(d, ".")
		d = whole + "." + fraction + strings.Repeat("0", max(0, decimals-len(fraction)))
	}
	return w.decimal(d)
}

func (w writer) sums() (all []map[string]any, err error) {
	asked := w.headline()
	for _, s := range w.Sums {
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
			"kind": string(s.Kind), "label": text(label), "amount": text(amount), "last": s == asked,
		})
	}
	return all, nil
}

func (w writer) seller() []string {
	s := w.Seller
	return append(texts(s.Name, s.Address, w.country(s.Country), s.Email), w.taxID(s.TaxID, isVAT(s))...)
}

func (w writer) buyer() []string {
	b := w.Buyer
	place := strings.TrimSpace(b.Address.PostalCode + " " + b.Address.City)
	out := texts(b.Name, b.Address.Line1, b.Address.Line2, place, b.Region, w.country(b.Country), b.Email)
	for _, id := range b.TaxIDs {
		out = append(out, w.taxID(id.Value, strings.HasSuffix(id.Type, "_vat"))...)
	}
	return out
}

func (w writer) country(code string) string {
	if code == "" {
		return ""
	}
	return w.lang.Country(code)
}

func (w writer) taxID(id string, vat bool) []string {
	label := w.lang.TaxID
	switch {
	case id == "":
		return nil
	case vat:
		label = w.lang.VATID
	}
	return texts(label + ": " + id)
}

// isVAT reports whether the seller's number, which has no type, is a VAT number of its own country.
func isVAT(s invoice.Seller) bool {
	return slices.ContainsFunc([]string{taxid.EUVAT, "gb_vat", "no_vat", "ch_vat"}, func(kind string) bool {
		read := taxid.Read(kind, s.TaxID)
		return read.Country != "" && read.Country == s.Country
	})
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

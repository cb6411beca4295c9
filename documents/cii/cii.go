package cii

import (
	"encoding/xml"
	"strconv"
	"time"

	"perennial/billing/document"
	"perennial/billing/einvoice"
	"perennial/billing/money"
	"perennial/billing/period"
)

// Texts are the words of an electronic invoice.
type Texts struct {
	Discount string // why coupons take something off
	Terms    string // how the rest is settled, where there is no day until which it has to be paid
	Exempt   map[einvoice.Category]string
	Notes    []string
}

// Write writes an electronic invoice, with its days in a time zone.
func Write(e einvoice.Invoice, t Texts, in *time.Location) ([]byte, error) {
	w := writer{e, t, in}
	doc := crossIndustryInvoice{
		RSM: rsm, RAM: ram, QDT: qdt, UDT: udt, Guideline: guideline,
		Document: header{ID: e.Number, TypeCode: "380", Issued: w.day(e.IssuedAt)},
		Transaction: transaction{
			Lines: w.lines(), Agreement: agreement{Seller: w.seller(), Buyer: w.buyer()}, Settlement: w.settlement(),
		},
	}
	if e.Kind == document.CreditNote {
		doc.Document.TypeCode = "381"
	}
	for _, n := range t.Notes {
		doc.Document.Notes = append(doc.Document.Notes, note{n})
	}
	out, err := xml.MarshalIndent(doc, "", "  ")
	return append([]byte(xml.Header), append(out, '\n')...), err
}

type writer struct {
	einvoice.Invoice

	texts Texts
	in    *time.Location
}

func (w writer) day(t time.Time) date { return date{"102", t.In(w.in).Format("20060102")} }

// span has the first and the last day of a period.
func (w writer) span(p period.Period) *span {
	if p.Start.IsZero() || p.End.IsZero() || !p.Start.Before(p.End) {
		return nil
	}
	return &span{w.day(p.Start), w.day(p.End.Add(-time.Nanosecond))}
}

func (w writer) units(m money.Minor) string { return money.FormatUnits(m, w.Currency) }

func (w writer) lines() (all []line) {
	for n, l := range w.Invoice.Lines {
		one := line{
			ID: strconv.Itoa(n + 1), Name: l.Name, Price: l.Price, Quantity: quantity{"C62", l.Quantity},
			Settlement: lineSettlement{
				Tax: lineTax{"VAT", string(l.Category), l.Percent}, Period: w.span(l.Period), Total: w.units(l.Net),
			},
		}
		if l.Allowance != 0 {
			one.Settlement.Allowance = &allowance{Amount: w.units(l.Allowance), Code: "95", Reason: w.texts.Discount}
		}
		all = append(all, one)
	}
	return all
}

func (w writer) seller() party {
	s := w.Seller
	p := party{Name: s.Name, Address: address{Line1: s.Address, Country: s.Country}, Email: email(s.Email)}
	switch {
	case w.SellerVAT != "":
		p.Tax = []registration{{identified{"VA", w.SellerVAT}}}
	case w.SellerTaxNumber != "":
		p.Tax = []registration{{identified{"FC", w.SellerTaxNumber}}}
	}
	return p
}

func (w writer) buyer() party {
	b := w.Buyer
	p := party{
		Name: b.Name, Email: email(b.Email), Address: address{
			PostalCode: b.Address.PostalCode, Line1: b.Address.Line1, Line2: b.Address.Line2, City: b.Address.City,
			Country: b.Country, Region: b.Region,
		},
	}
	if w.BuyerVAT != "" {
		p.Tax = []registration{{identified{"VA", w.BuyerVAT}}}
	}
	return p
}

func email(address string) *identified {
	if address == "" {
		return nil
	}
	return &identified{"EM", address}
}

// reasons are the codes of the reasons for which no tax is added, by the list VATEX. An exemption without more has
// none.
var reasons = map[einvoice.Category]string{einvoice.Reverse: "VATEX-EU-AE", einvoice.NotSubject: "VATEX-EU-O"}

func (w writer) settlement() settlement {
	s := settlement{
		Currency: string(w.Currency), Period: w.span(w.Period), Terms: &paymentTerms{Text: w.texts.Terms},
		Sums: sums{
			Lines: w.units(w.Net), Charges: w.units(0), Allowance: w.units(0), Net: w.units(w.Net),
			Tax: amount{string(w.Currency), w.units(w.TaxTotal)}, Gross: w.units(w.Gross),
			Prepaid: w.units(w.Prepaid), Payable: w.units(w.Payable),
		},
	}
	for _, t := range w.Invoice.Taxes {
		s.Taxes = append(s.Taxes, headerTax{
			Amount: w.units(t.Amount), TypeCode: "VAT", Reason: w.texts.Exempt[t.Category], Base: w.units(t.Base),
			Category: string(t.Category), ReasonCode: reasons[t.Category], Percent: t.Percent,
		})
	}
	if !w.DueAt.IsZero() {
		last := w.day(w.DueAt.Add(-time.Nanosecond))
		s.Terms = &paymentTerms{Due: &last}
	}
	if w.Of != "" {
		s.Of = &otherDocument{Number: w.Of}
		if !w.OfDate.IsZero() {
			issued := w.day(w.OfDate)
			s.Of.Issued = &issued
		}
	}
	return s
}

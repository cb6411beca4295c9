// Package einvoice owns what an electronic invoice by EN 16931 says beyond the document that a person reads: lines
// without the taxes that their prices contain, categories of tax, and which data it needs. It does not own the syntax
// (documents/cii).
package einvoice

import (
	"cmp"
	"slices"

	"perennial/billing/document"
	"perennial/billing/money"
	"perennial/billing/period"
)

// Category is a category of value added tax, a code of UNCL 5305.
type Category string

// The categories.
const (
	Standard   Category = "S"
	Zero       Category = "Z" // a rate of 0 %
	Exempt     Category = "E"
	Reverse    Category = "AE" // the buyer owes the tax
	NotSubject Category = "O"  // outside the scope of the tax: no rate applies
)

// Invoice is an invoice or a credit note as EN 16931 has it. All amounts are minor units of the document's currency.
type Invoice struct {
	document.Document

	Lines []Line
	Taxes []Tax // by category and rate
	// Net is the sum of the lines; Gross is Net with TaxTotal. Payable is Gross less Prepaid, both as at issue: a credit
	// note since then is a document of its own, which a reader would count twice.
	Net, TaxTotal, Gross, Prepaid, Payable money.Minor
	// SellerVAT is the seller's VAT number, or else SellerTaxNumber its number for the local tax; one of them is set where
	// the categories ask for it.
	SellerVAT, SellerTaxNumber string
	BuyerVAT                   string // empty: none is known, or none may be named
}

// Line is one line.
type Line struct {
	Name     string
	Steps    int // of the calculation that the document shows
	Period   period.Period
	Quantity string // a decimal; below zero where the line gives back
	Price    string // of one, a decimal in major units, never below zero
	// Allowance is what coupons take off Quantity × Price, which leaves Net.
	Allowance money.Minor
	Net       money.Minor
	Category  Category
	Percent   string // a decimal; empty: NotSubject, which has no rate
}

// Tax is the tax of one category and rate.
type Tax struct {
	Category     Category
	Percent      string
	Base, Amount money.Minor
}

// Of returns the electronic invoice of a document. Faults: einvoice_data_missing, einvoice_unsupported, with the field.
func Of(d document.Document) (Invoice, error) {
	e := Invoice{Document: d}
	if err := expressible(d); err != nil {
		return e, err
	}
	for _, s := range d.Sections {
		for _, l := range s.Lines {
			of, err := lineOf(d, s.Period, l)
			if err != nil {
				return e, err
			}
			e.Lines = append(e.Lines, of)
		}
	}
	e.sumUp()
	e.identify()
	if err := e.missing(); err != nil {
		return e, err
	}
	if e.Gross != d.Sum(document.Total) {
		return e, unsupported("total", "Its lines and taxes do not add up to its total.")
	}
	return e, nil
}

// sumUp adds the lines up by category and rate.
func (e *Invoice) sumUp() {
	at := func(c Category, percent string) *Tax {
		n := slices.IndexFunc(e.Taxes, func(t Tax) bool { return t.Category == c && t.Percent == percent })
		if n < 0 {
			n, e.Taxes = len(e.Taxes), append(e.Taxes, Tax{Category: c, Percent: percent})
		}
		return &e.Taxes[n]
	}
	for _, l := range e.Lines {
		t := at(l.Category, l.Percent)
		t.Base += l.Net
		e.Net += l.Net
	}
	for _, t := range e.Document.Taxes {
		at(taxed(t.Rate)).Amount += t.Amount
		e.TaxTotal += t.Amount
	}
	e.Gross = e.Net + e.TaxTotal
	e.Payable = e.Gross
	if e.Kind == document.Invoice {
		// Credited is below zero. Of a paid invoice, AmountPaid is what was due.
		e.Payable = e.Sum(document.AmountDue) + e.Sum(document.AmountPaid) - e.Sum(document.Credited)
	}
	e.Prepaid = e.Gross - e.Payable
}

func (e Invoice) has(c Category) bool {
	return slices.ContainsFunc(e.Taxes, func(t Tax) bool { return t.Category == c })
}

// identify sets the tax numbers. An invoice that is not subject to the tax names none (BR-O-2).
func (e *Invoice) identify() {
	if e.has(NotSubject) {
		return
	}
	if number := vatNumber(e.Seller.TaxID, e.Seller.Country); number != "" {
		e.SellerVAT = number
	} else {
		e.SellerTaxNumber = e.Seller.TaxID
	}
	for _, id := range e.Buyer.TaxIDs {
		e.BuyerVAT = cmp.Or(e.BuyerVAT, vatNumber(id.Value, cmp.Or(id.Of(), e.Buyer.Country)))
	}
}

package monthly

import (
	"cmp"
	"slices"

	"perennial/billing/money"
	"perennial/billing/tax"
)

// TaxSums are the base and the amount of a rate on some documents, in minor units.
type TaxSums struct {
	Base   money.Minor
	Amount money.Minor
}

// TaxRow has one rate's sums in a currency and a country of the buyers. A row without a rate has what was billed
// without tax, by the reason for that.
type TaxRow struct {
	Currency  money.Currency
	Country   string        // of the buyers; empty: unknown
	Rate      tax.Rate      // the zero value: no tax
	Exemption tax.Exemption // without a rate: why there is none; empty: no rate applied
	Issued    TaxSums
	Voided    TaxSums
	Credited  TaxSums
}

// Net returns what is left: issued, less voided and credited.
func (t TaxRow) Net() TaxSums {
	return TaxSums{
		t.Issued.Base - t.Voided.Base - t.Credited.Base, t.Issued.Amount - t.Voided.Amount - t.Credited.Amount,
	}
}

// taxKey is what the documents of a row have in common. The rate's name may change, so that it is no part of it.
type taxKey struct {
	currency  money.Currency
	country   string
	rateID    string
	exemption tax.Exemption
}

// tax adds the taxes of a document, and its untaxed part.
func (r *Report) tax(w Worth, to func(*TaxRow) *TaxSums) {
	for _, t := range w.Taxes {
		sums := to(r.row(taxKey{w.Currency, w.Country, t.ID, ""}, t.Rate))
		sums.Base, sums.Amount = sums.Base+t.Base, sums.Amount+t.Amount
	}
	if w.Untaxed != 0 {
		to(r.row(taxKey{w.Currency, w.Country, "", w.Exemption}, tax.Rate{})).Base += w.Untaxed
	}
}

func (r *Report) row(key taxKey, rate tax.Rate) *TaxRow {
	if r.taxes == nil {
		r.taxes = map[taxKey]*TaxRow{}
	}
	row := r.taxes[key]
	if row == nil {
		row = &TaxRow{Currency: key.currency, Country: key.country, Rate: rate, Exemption: key.exemption}
		r.taxes[key] = row
	}
	return row
}

// Taxes returns the sums by currency, country and rate, sorted by them.
func (r *Report) Taxes() []TaxRow {
	all := make([]TaxRow, 0, len(r.taxes))
	for _, row := range r.taxes {
		all = append(all, *row)
	}
	slices.SortFunc(all, func(a, b TaxRow) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Country, b.Country),
			cmp.Compare(a.Rate.ID, b.Rate.ID), cmp.Compare(a.Exemption, b.Exemption))
	})
	return all
}

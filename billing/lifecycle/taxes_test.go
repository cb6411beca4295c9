package lifecycle_test

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

// someTaxRates draws rates without a country, of a country and of its region. Some have a category, and some begin or
// end during a life.
func someTaxRates(draw chance) []tax.Definition {
	rates := make([]tax.Definition, 1+draw(4, "tax rates"))
	for i := range rates {
		rates[i] = tax.Definition{
			Rate: tax.Rate{
				ID: fmt.Sprintf("txr_%d", i), Name: "VAT", Inclusive: draw(3, "inclusive") == 0,
				Percent: dec([]string{"19", "8.875", "0", "2.5", "100", "5"}[draw(6, "percent")]),
			},
			Category: []tax.Category{"", "", "books"}[draw(3, "category")],
			Country:  []string{"", "DE", "US"}[draw(3, "country")],
		}
		if rates[i].Country == "US" && draw(2, "of a region") == 0 {
			rates[i].Region = "CA"
		}
		switch draw(4, "bounded") {
		case 0:
			rates[i].ValidFrom = created.Add(time.Duration(draw(200, "days")) * 24 * time.Hour)
		case 1:
			rates[i].ValidUntil = created.Add(time.Duration(draw(200, "days")) * 24 * time.Hour)
		}
	}
	return rates
}

// taxOtherwise moves the customer (perhaps as a business there), changes the exemption, archives a rate, or gives a
// product another category.
func (l *life) taxOtherwise(draw chance) {
	c := &l.store.customer
	switch draw(6, "taxed otherwise") {
	case 0, 1:
		c.Country, c.Region = []string{"", "DE", "US"}[draw(3, "country")], ""
		if c.Country == "US" && draw(2, "region") == 0 {
			c.Region = "CA"
		}
		c.TaxIDs = []tax.IDs{nil, {{Type: "eu_vat", Value: "DE136695976"}}}[draw(2, "business")]
	case 2:
		c.TaxExempt = []tax.Exemption{"", "", tax.Exempt, tax.Reverse, tax.Taxed}[draw(5, "exemption")]
	case 3:
		if n := len(l.store.taxRates); n > 0 {
			l.store.taxRates[draw(n, "which rate")].ArchivedAt = l.now
		}
	default:
		of, to := l.sub().PlanID, []tax.Category{"", "books", "food"}[draw(3, "category")]
		if all := l.sub().AddOns; len(all) > 0 && draw(2, "of an add-on") == 0 {
			of = all[draw(len(all), "which add-on")].Ref.ID
		}
		for ref, p := range l.store.plans {
			if ref.ID == of {
				p.TaxCategory = to
				l.store.plans[ref] = p
			}
		}
	}
}

// checkTaxes checks the taxes of invoices by themselves. Rates sum to the tax. A credit has the rates of its reversed
// line. All invoices together have the exact tax on all lines, except for one rounding of each invoice.
func (l *life) checkTaxes() {
	exact, off := new(big.Rat), new(big.Rat)
	lines := map[string]invoice.Line{}
	var billed money.Minor
	for _, inv := range l.store.billed() {
		anew := inv.Reason != invoice.Update && inv.FinalizesAt.IsZero() // a draft keeps its first lines
		var added money.Minor
		for _, t := range inv.Taxes {
			if !t.Inclusive {
				added += t.Amount
			}
		}
		if added != inv.Tax || inv.TaxExempt != "" && slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool {
			return l.Kind == invoice.Recurring && l.PeriodIndex == inv.PeriodIndex && anew && len(l.Rates) > 0
		}) {
			require.Failf(l.t, "rates sum to the tax of an invoice, and who is exempt has none", "%+v", inv)
		}
		for _, line := range inv.Lines {
			lines[line.ID] = line
			l.checkCategory(line)
		}
		if inv.Status == invoice.Void {
			continue
		}
		billed += inv.Tax
		for _, line := range inv.Lines {
			exact.Add(exact, taxOn(line))
		}
		off.Add(off, big.NewRat(int64(1+len(inv.Taxes)), 1))
	}
	for _, credit := range lines {
		of, ok := lines[credit.Reverses]
		if ok && (!sameRates(credit.Rates, of.Rates) || credit.TaxCategory != of.TaxCategory) {
			require.Failf(l.t, "a credit has the taxes of the line it reverses", "%+v of %+v", credit, of)
		}
	}
	if l.noted {
		return // a note may return more tax than a line has, whose unused time then returns less
	}
	if off.Cmp(exact.Abs(exact.Sub(exact, big.NewRat(int64(billed), 1)))) < 0 {
		require.Failf(l.t, "taxes are those of the lines", "%d is %s off", billed, exact.FloatString(2))
	}
}

// checkCategory requires that a line has the rates of its own category, or those without one.
func (l *life) checkCategory(line invoice.Line) {
	var of []tax.Category
	for _, r := range line.Rates {
		at := slices.IndexFunc(l.store.taxRates, func(d tax.Definition) bool { return d.ID == r.ID })
		of = append(of, l.store.taxRates[at].Category)
	}
	if of = slices.Compact(of); len(of) > 1 || len(of) == 1 && of[0] != line.TaxCategory && of[0] != "" {
		require.Failf(l.t, "a line has the rates of its category, or of none", "%+v of %v", line, of)
	}
}

// taxOn returns the exact tax that is added to a line.
func taxOn(line invoice.Line) *big.Rat {
	inclusive, exclusive := money.Whole(100), money.Decimal{}
	for _, r := range line.Rates {
		if r.Inclusive {
			inclusive = inclusive.Add(r.Percent)
		} else {
			exclusive = exclusive.Add(r.Percent)
		}
	}
	on := new(big.Rat).SetInt64(int64(line.Net()))
	return on.Quo(on.Mul(on, exclusive.Rat()), inclusive.Rat())
}

func sameRates(a, b []tax.Rate) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID {
			return false
		}
	}
	return true
}

func dec(s string) money.Decimal {
	d, err := money.ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return d
}

// taxes returns the tax of all invoices that are not void.
func (l *life) taxes() (sum money.Minor) {
	for _, inv := range l.store.billed() {
		if inv.Status != invoice.Void {
			sum += inv.Tax
		}
	}
	return sum
}

package tax

import (
	"regexp"
	"time"

	"perennial/billing/cardnumber"
	"perennial/billing/fault"
)

// Category names a class of goods and services with the same tax, such as books. Products and lines of manual invoices
// have one, and rates apply to one. Empty: none.
type Category string

var categoryForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// Validate refuses a category with other characters than lower-case letters, digits, underscores and hyphens. Two
// spellings would be two categories with different rates. Faults: tax_category_malformed, card_number_refused.
func (c Category) Validate() error {
	if c != "" && !categoryForm.MatchString(string(c)) {
		return fault.InvalidParam("taxCategory", "tax_category_malformed",
			"A tax category must be 1 to 40 lower-case letters, digits, `_` and `-`, such as books.")
	}
	return cardnumber.Check("taxCategory", string(c))
}

// Held are the rates that apply to one payer at one time, of all categories.
type Held []Definition

// For returns the rates of a line of a category, in the order of the definitions. Rates of the category replace those
// without one: an authority taxes a product at its reduced percentage instead of the standard one. A category without
// rates has those without a category.
func (h Held) For(c Category) []Rate {
	if own := h.of(c); own != nil {
		return own
	}
	return h.of("")
}

func (h Held) of(c Category) []Rate {
	var rates []Rate
	for _, d := range h {
		if d.Category == c {
			rates = append(rates, d.Rate)
		}
	}
	return rates
}

// Holding returns the rates that apply to a payer at a time, in the order of the definitions: those without a country,
// of the payer's country and of its region there. A rate of a country does not apply while the payer's country is
// unknown. No rate applies to a payer who is exempt, or who owes the tax instead of the seller.
func Holding(definitions []Definition, p Payer, at time.Time) Held {
	if p.Exemption.OfInvoice() != "" {
		return nil
	}
	var held Held
	for _, d := range definitions {
		if d.holds(p, at) {
			held = append(held, d)
		}
	}
	return held
}

package invoicing

import (
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

// Line is one position as a person writes it: an amount in minor units, or a unit price in major units of the currency
// times a quantity.
type Line struct {
	Description string
	Quantity    money.Decimal // not given: one
	UnitPrice   money.Decimal
	Amount      *money.Minor
	TaxCategory tax.Category // empty: none
}

// bill is the line of the invoice: quantity × unit price, rounded once, half away from zero. Faults:
// line_price_missing, line_price_ambiguous, line_negative, amount_too_large.
func (l Line) bill(c money.Currency) (invoice.Line, error) {
	out := invoice.Line{Kind: invoice.OneOff, Description: l.Description, TaxCategory: l.TaxCategory}
	switch {
	case l.Amount == nil && !l.UnitPrice.IsGiven():
		return out, fault.InvalidParam("lines", "line_price_missing",
			"A line has no price. Send `amount` in minor units, or `unitAmount` with `quantity`.")
	case l.Amount != nil && (l.UnitPrice.IsGiven() || l.Quantity.IsGiven()):
		return out, fault.InvalidParam("lines", "line_price_ambiguous",
			"A line has `amount` beside `unitAmount` or `quantity`. Send `amount`, or `unitAmount` with `quantity`.")
	case l.Amount != nil:
		out.Amount = *l.Amount
	default:
		quantity := l.Quantity
		if !quantity.IsGiven() {
			quantity = money.Whole(1)
		}
		if quantity.Sign() < 0 || l.UnitPrice.Sign() < 0 {
			return out, errNegative
		}
		amount, err := quantity.Mul(l.UnitPrice).Round(c)
		if err != nil {
			return out, err
		}
		out.Quantity, out.UnitPrice, out.Amount = quantity.String(), l.UnitPrice.String(), amount
	}
	if out.Amount < 0 {
		return out, errNegative
	}
	return out, out.Amount.Check()
}

// errNegative refuses a line below zero: credits to a customer have their own documents.
var errNegative = fault.InvalidParam("lines", "line_negative",
	"A line is below zero. To give something back, credit the customer's balance or issue a credit note.")

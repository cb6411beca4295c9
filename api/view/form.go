package view

import (
	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/money"
)

// PercentOf returns the percentage that a discount takes off, as a decimal; empty: it takes an amount off.
func PercentOf(d discount.Discount) string {
	if !d.Percent.IsGiven() {
		return ""
	}
	return d.Percent.String()
}

// Decimals reads decimals of a request, and keeps the first fault under the field's name.
type Decimals struct{ Err error }

// Parse reads one; an empty text is no number. After a fault it reads nothing more.
func (d *Decimals) Parse(field, s string) money.Decimal {
	if s == "" || d.Err != nil {
		return money.Decimal{}
	}
	number, err := money.ParseDecimal(s)
	if err != nil {
		d.Err = fault.From(err).In(field)
	}
	return number
}

// Given returns a number that a request may leave out; 0: it did.
func Given[T any](v *T) T {
	if v == nil {
		v = new(T)
	}
	return *v
}

// Chosen reads a filter that is true, false or absent.
func Chosen(filter string) *bool {
	if filter == "" {
		return nil
	}
	yes := filter == "true"
	return &yes
}

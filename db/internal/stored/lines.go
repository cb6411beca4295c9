// Package stored has what columns of JSON hold, as the driver writes and reads it: a value that is of another shape is
// an error of the query that reads it.
package stored

import (
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

// Lines wait for an invoice, in the row of their subscription.
type Lines []Line

// Line is one of them. Fields are added, never renamed.
type Line struct {
	ID          string               `json:"id"`
	Kind        invoice.LineKind     `json:"kind"`
	Description string               `json:"description"`
	PlanID      string               `json:"planId"`
	PriceID     string               `json:"priceId"`
	ItemID      string               `json:"itemId"`
	PeriodIndex int                  `json:"periodIndex"`
	Quantity    string               `json:"quantity,omitempty"`
	UnitPrice   string               `json:"unitPrice,omitempty"`
	Reverses    string               `json:"reverses,omitempty"`
	Amount      money.Minor          `json:"amount"`
	Discounts   invoice.Shares       `json:"discounts,omitempty"`
	TaxCategory tax.Category         `json:"taxCategory,omitempty"`
	Rates       []tax.Rate           `json:"rates,omitempty"`
	Explanation *invoice.Explanation `json:"explanation,omitempty"`
	Start       time.Time            `json:"start"`
	End         time.Time            `json:"end"`
}

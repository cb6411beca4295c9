package db

import (
	"encoding/json"
	"fmt"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/tax"
)

// storedLine is a line that waits for an invoice as the column of its subscription holds it. Fields are added, never
// renamed.
type storedLine struct {
	ID          string           `json:"id"`
	Kind        invoice.LineKind `json:"kind"`
	Description string           `json:"description"`
	PlanID      string           `json:"planId"`
	PriceID     string           `json:"priceId"`
	ItemID      string           `json:"itemId"`
	PeriodIndex int              `json:"periodIndex"`
	Quantity    string           `json:"quantity,omitempty"`
	UnitPrice   string           `json:"unitPrice,omitempty"`
	Reverses    string           `json:"reverses,omitempty"`
	Amount      money.Minor      `json:"amount"`
	Discounts   invoice.Shares   `json:"discounts,omitempty"`
	Rates       []tax.Rate       `json:"rates,omitempty"`
	Start       time.Time        `json:"start"`
	End         time.Time        `json:"end"`
}

// pendingLines writes the lines that wait for an invoice; none is null.
func pendingLines(lines []invoice.Line) []byte {
	if len(lines) == 0 {
		return nil
	}
	stored := make([]storedLine, len(lines))
	for i, l := range lines {
		stored[i] = storedLine{
			ID: l.ID, Kind: l.Kind, Description: l.Description, PlanID: l.PlanID, PriceID: l.PriceID, ItemID: l.ItemID,
			PeriodIndex: l.PeriodIndex, Quantity: l.Quantity, UnitPrice: l.UnitPrice, Reverses: l.Reverses, Amount: l.Amount,
			Discounts: l.Discounts, Rates: l.Rates, Start: l.Period.Start, End: l.Period.End,
		}
	}
	raw, err := json.Marshal(stored)
	if err != nil {
		panic(fmt.Errorf("db: lines that wait for an invoice: %w", err)) // numbers, texts and times only
	}
	return raw
}

// pendingLinesFromDB reads them. What is none, which only a hand in the database can write, is nothing to bill.
func pendingLinesFromDB(raw []byte) []invoice.Line {
	var stored []storedLine
	if raw == nil || json.Unmarshal(raw, &stored) != nil {
		return nil
	}
	lines := make([]invoice.Line, len(stored))
	for i, l := range stored {
		lines[i] = invoice.Line{
			ID: l.ID, Kind: l.Kind, Description: l.Description, PlanID: l.PlanID, PriceID: l.PriceID, ItemID: l.ItemID,
			PeriodIndex: l.PeriodIndex, Quantity: l.Quantity, UnitPrice: l.UnitPrice, Reverses: l.Reverses, Amount: l.Amount,
			Discounts: l.Discounts, Rates: l.Rates, Period: period.Period{Start: l.Start, End: l.End},
		}
	}
	return lines
}

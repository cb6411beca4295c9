package subscriptions

import (
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/db/core"
	"perennial/db/internal/stored"
)

// pendingLines returns waiting lines for the database; none is null.
func pendingLines(lines []invoice.Line) *stored.Lines {
	out := make(stored.Lines, len(lines))
	for i, l := range lines {
		out[i] = stored.Line{
			ID: l.ID, Kind: l.Kind, Description: l.Description, PlanID: l.PlanID, PriceID: l.PriceID, ItemID: l.ItemID,
			PeriodIndex: l.PeriodIndex, Quantity: l.Quantity, UnitPrice: l.UnitPrice, Reverses: l.Reverses, Amount: l.Amount,
			Discounts: l.Discounts, TaxCategory: l.TaxCategory, Rates: l.Rates, Explanation: l.Explanation,
			Start: l.Period.Start, End: l.Period.End,
		}
	}
	return core.NullList(out)
}

// pendingLinesFromDB is the reverse of pendingLines.
func pendingLinesFromDB(in *stored.Lines) []invoice.Line {
	if in == nil {
		return nil
	}
	lines := make([]invoice.Line, len(*in))
	for i, l := range *in {
		lines[i] = invoice.Line{
			ID: l.ID, Kind: l.Kind, Description: l.Description, PlanID: l.PlanID, PriceID: l.PriceID, ItemID: l.ItemID,
			PeriodIndex: l.PeriodIndex, Quantity: l.Quantity, UnitPrice: l.UnitPrice, Reverses: l.Reverses, Amount: l.Amount,
			Discounts: l.Discounts, TaxCategory: l.TaxCategory, Rates: l.Rates, Explanation: l.Explanation,
			Period: period.Period{Start: l.Start, End: l.End},
		}
	}
	return lines
}

package subscription

import (
	"time"

	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
)

// lines returns a line for each of some items, as the whole current period costs it on their plan, with the taxes of now.
// Faults: those of plan.Cost.
func (s Subscription) lines(f Facts, items []Item, p plan.Plan) ([]invoice.Line, error) {
	lines := make([]invoice.Line, len(items))
	for i, item := range items {
		cost, err := p.Cost(item.PriceID, item.Quantity)
		if err != nil {
			return nil, err
		}
		lines[i] = invoice.Line{
			Kind: invoice.Recurring, Description: cost.Description, PlanID: p.ID, PriceID: item.PriceID, ItemID: item.ID,
			PeriodIndex: s.PeriodIndex, Quantity: cost.Quantity, UnitPrice: cost.UnitPrice, Amount: cost.Amount,
			Rates: f.Rates, Period: s.CurrentPeriod,
		}
	}
	return lines, nil
}

// wholePeriod bills the current period of some items. A free one has no line. Faults: those of plan.Cost.
func (s Subscription) wholePeriod(f Facts, items []Item, p plan.Plan) ([]invoice.Line, error) {
	all, err := s.lines(f, items, p)
	if err != nil {
		return nil, err
	}
	var lines []invoice.Line
	for _, l := range all {
		if l.Amount != 0 {
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// restOfPeriod bills the rest of the current period of some items, each line rounded cumulatively. One that rounds to
// nothing stays: its invoice shows that the period is billed. Faults: those of plan.Cost and proration.Rest.
func (s Subscription) restOfPeriod(f Facts, items []Item, p plan.Plan, now time.Time) ([]invoice.Line, error) {
	lines, err := s.wholePeriod(f, items, p)
	if err != nil {
		return nil, err
	}
	for i := range lines {
		l := &lines[i]
		rest, err := proration.Rest(l.Amount, s.CurrentPeriod, now)
		if err != nil {
			return nil, err
		}
		l.Kind, l.Amount, l.Description = invoice.ProrationCharge, rest, "Remaining time on "+l.Description
		l.Period = period.Period{Start: now, End: s.CurrentPeriod.End}
	}
	return lines, nil
}

// unusedTime takes the time of an item back that is left of the current period, by a line that reverses the one that
// bills it. Item is the whole period's. It is worth what the same time would be charged, so that a chain of changes
// costs the time that each price was used for; and at most what is billed. Its discounts and taxes are those of the line
// that it reverses. ok is false where nothing bills the time, or where it is worth nothing. Faults: those of
// proration.Rest.
func (s Subscription) unusedTime(issued []invoice.Invoice, item invoice.Line, now time.Time) (
	credit, billed invoice.Line, ok bool, err error,
) {
	worth, err := proration.Rest(item.Amount, s.CurrentPeriod, now)
	if err != nil {
		return credit, billed, false, err
	}
	billed, ok = invoice.Billing(issued, item.ItemID, s.PeriodIndex)
	if worth = proration.Credit(worth, billed.Amount); !ok || worth == 0 {
		return credit, billed, false, nil
	}
	return s.nothingUsed(item, now).TakeBack(billed, worth), billed, true, nil
}

// nothingUsed is a credit of nothing for the time of an item that is left of the current period.
func (s Subscription) nothingUsed(item invoice.Line, now time.Time) invoice.Line {
	item.Kind, item.Description, item.Amount = invoice.ProrationCredit, "Unused time on "+item.Description, 0
	item.Rates = nil
	item.Period = period.Period{Start: now, End: s.CurrentPeriod.End}
	return item
}

// drafts makes one invoice for time in the current period, or none of no lines: lines as they are, and new ones that bill
// the period, off which the subscription's coupons are taken. Fault: amount_too_large.
func (s Subscription) drafts(
	f Facts, reason invoice.Reason, of period.Period, lines, billing []invoice.Line,
) ([]invoice.Draft, error) {
	if len(lines)+len(billing) == 0 {
		return nil, nil
	}
	billing, err := s.discounted(f, lines, billing)
	return []invoice.Draft{{
		Reason: reason, Period: of, PeriodIndex: s.PeriodIndex, Lines: append(lines, billing...),
	}}, err
}

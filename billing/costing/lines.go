package costing

import (
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/subscription"
)

// whole is the line of an item for all of its own period, and how its amount comes about.
type whole struct {
	invoice.Line
	steps   []rating.Step
	divided period.Period // that proration divides: the own period, or the interval that a short first one ends
	longer  bool          // the own period is longer than those of the subscription
	joined  int           // see subscription.Item
}

// explained returns the line, with an explanation where quantity × unit price is none.
func (w whole) explained() invoice.Line {
	if w.UnitPrice == "" {
		w.Explanation = &invoice.Explanation{Steps: invoice.StepsOf(w.steps)}
	}
	return w.Line
}

// part explains what of the line falls on a span of its own period.
func (s Period) part(w whole, span proration.Span) *invoice.Explanation {
	return &invoice.Explanation{
		Steps: invoice.StepsOf(w.steps), Part: s.portion(invoice.DividedPeriod, w.Amount, w.divided, span),
	}
}

// portion is a part of an amount for a period, as an explanation has it.
func (s Period) portion(
	of invoice.Divided, amount money.Minor, divided period.Period, span proration.Span,
) *invoice.Part {
	return &invoice.Part{
		Of: of, Whole: amount, Measure: s.ProrationMeasure.Divides(divided, s.Schedule().Location),
		From: span.From, To: span.To, Length: span.Length,
	}
}

// lines returns a line for each of some items: the cost of its whole own period on their plan or add-on, with the
// present taxes. Faults: those of plan.Cost.
func (s Period) lines(items []subscription.Item, p plan.Plan) ([]whole, error) {
	lines := make([]whole, len(items))
	for i, item := range items {
		of := s.Facts.holder(p, item.PriceID)
		cost, err := of.Cost(item.PriceID, item.Quantity)
		if err != nil {
			return nil, err
		}
		lines[i] = s.line(invoice.Recurring, of, cost)
		lines[i].ItemID, lines[i].joined = item.ID, item.Joined
	}
	return lines, nil
}

// line bills the cost of a plan's or an add-on's price in its own period, with the present taxes.
func (s Period) line(kind invoice.LineKind, of plan.Plan, cost plan.Cost) whole {
	own, divided, longer := s.CurrentPeriod, s.Whole(), s.Longer(of.Interval)
	if longer && kind != invoice.OneOff {
		own = s.OwnPeriod(of.Interval)
		divided = own
	}
	return whole{steps: cost.Steps, divided: divided, longer: longer, Line: invoice.Line{
		Kind: kind, Description: cost.Description, PlanID: of.ID, PriceID: cost.PriceID, PeriodIndex: s.PeriodIndex,
		Quantity: cost.Quantity, UnitPrice: cost.UnitPrice, Amount: cost.Amount,
		TaxCategory: of.TaxCategory, Rates: s.Facts.Rates.For(of.TaxCategory), Period: own,
	}}
}

// WholePeriod bills the whole own period of some items. A free one has no line. Faults: those of plan.Cost.
func (s Period) WholePeriod(items []subscription.Item, p plan.Plan) ([]invoice.Line, error) {
	all, err := s.lines(items, p)
	if err != nil {
		return nil, err
	}
	var lines []invoice.Line
	for _, l := range all {
		if l.Amount != 0 {
			lines = append(lines, l.explained())
		}
	}
	return lines, nil
}

// RestOfPeriod bills the rest of the own period of some items, each line rounded cumulatively. One that rounds to
// nothing stays: its invoice shows that the period is billed. A free one has no line. Faults: those of plan.Cost and of
// proration.Measure.Rest.
func (s Period) RestOfPeriod(items []subscription.Item, p plan.Plan, now time.Time) ([]invoice.Line, error) {
	all, err := s.lines(items, p)
	if err != nil {
		return nil, err
	}
	var lines []invoice.Line
	for _, w := range all {
		if w.Amount == 0 {
			continue
		}
		l, err := s.rest(w, now)
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// rest returns the line of an item for the rest of its own period. Faults: those of proration.Measure.Rest.
func (s Period) rest(w whole, from time.Time) (invoice.Line, error) {
	rest, err := restOf(s, w.divided, from)
	if err != nil {
		return invoice.Line{}, err
	}
	l := w.Line
	l.Kind, l.Amount, l.Description = invoice.ProrationCharge, rest.Of(w.Amount), remaining+w.Description
	l.Explanation, l.Period = s.part(w, rest), period.Period{Start: from, End: w.Period.End}
	return l, nil
}

// fees returns a line for each price of a plan that is charged once, on the first invoice of a subscription, with the
// present taxes. Fees have no item: they belong to no period, so that no part of them is unused later. Faults: those of
// plan.Cost.
func (s Period) fees(p plan.Plan) ([]invoice.Line, error) {
	var lines []invoice.Line
	for _, price := range p.Prices {
		if !price.Once {
			continue
		}
		cost, err := p.Cost(price.ID, price.Units(s.Quantity))
		if err != nil {
			return nil, err
		}
		if cost.Amount == 0 {
			continue
		}
		lines = append(lines, s.line(invoice.OneOff, p, cost).explained())
	}
	return lines, nil
}

// Opened returns the lines of the current period on a plan, with the fees where it is the first, less its coupons: the
// whole period, except for a short first one. with are the other lines of its invoice. Faults: those of plan.Cost.
func (s Period) Opened(on plan.Plan, first bool, with []invoice.Line) (lines []invoice.Line, err error) {
	if s.UnproratedIndex != s.PeriodIndex { // otherwise it is free until the anchor
		if lines, err = s.Due(on, s.Short(), with); err != nil {
			return nil, err
		}
	}
	if first {
		fees, err := s.fees(on)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fees...)
	}
	return s.Discounted(with, lines)
}

// nothingUsed is a credit of nothing for the time of an item that is left of its own period.
func nothingUsed(item invoice.Line, now time.Time) invoice.Line {
	item.Kind, item.Description, item.Amount = invoice.ProrationCredit, notUsed+titled(item), 0
	item.Rates, item.Credited, item.Explanation = nil, 0, nil
	item.Period.Start = now
	return item
}

// Drafts makes one invoice for time in the current period, or none of no lines.
func (s Period) Drafts(reason invoice.Reason, of period.Period, lines []invoice.Line) []invoice.Draft {
	if len(lines) == 0 {
		return nil
	}
	return []invoice.Draft{{Reason: reason, Period: of, PeriodIndex: s.PeriodIndex, Lines: lines}}
}

package lifecycle_test

import (
	"encoding/json"
	"time"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
)

// sold is a plan or an add-on with a quantity.
type sold struct {
	plan  plan.Plan
	units int64
}

// use is a stretch of a period on one plan with its add-ons, which the customer owes in the end.
type use struct {
	sold     []sold
	period   period.Period
	index    int // of the period
	from, to time.Time
	measure  proration.Measure    // of the period
	since    map[string]time.Time // the starts of the lines of prices
	held     bool                 // the plan changed since without proration
	ended    bool                 // no other use follows
	cost     money.Minor
}

func (u use) priced() use {
	u.cost = 0
	u.each(func(of sold, price plan.Price) { u.cost += u.of(of, price) })
	return u
}

// each calls a function with each price of every period.
func (u use) each(do func(of sold, price plan.Price)) { each(u.sold, do) }

func each(all []sold, do func(of sold, price plan.Price)) {
	for _, of := range all {
		for _, price := range of.plan.Prices {
			if !price.Once && !price.Arrears {
				do(of, price)
			}
		}
	}
}

// priced names a price in all versions of its plan that repeat it.
func priced(of plan.Plan, price plan.Price) string {
	text, err := json.Marshal([]any{of.ID, price.Name, price.Once, price.Arrears, price.Price})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// unitsOf returns the units of a price; -1: it is not used.
func unitsOf(all []sold, id string) int64 {
	units := int64(-1)
	each(all, func(of sold, price plan.Price) {
		if priced(of.plan, price) == id {
			units = price.Units(of.units)
		}
	})
	return units
}

// of returns the cost of a price for the time that it was used.
func (u use) of(s sold, price plan.Price) money.Minor {
	cost, err := s.plan.Cost(price.ID, price.Units(s.units))
	if err != nil {
		panic(err)
	}
	span, err := u.measure.Span(u.period, period.Period{Start: u.from, End: u.to}, paris)
	if err != nil {
		panic(err)
	}
	if left, err := u.measure.Unused(u.period, u.to, paris); u.ended && err == nil {
		span.To = left.From
	}
	if !u.held {
		return span.Of(cost.Amount)
	}
	// A reversal knows only the line, which may have begun before this use.
	begin := u.measure.Units(u.period.Start, u.since[priced(s.plan, price)], paris)
	line := proration.Span{From: begin, To: span.Length, Length: span.Length}.Of(cost.Amount)
	if length := span.Length - begin; length > 0 {
		line = money.Part(line, 0, span.To-begin, length)
	}
	return line - proration.Span{From: begin, To: span.From, Length: span.Length}.Of(cost.Amount)
}

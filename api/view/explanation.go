package view

import (
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/proration"
	"perennial/billing/rating"
)

// LineExplanation shows how the amount of a line was calculated.
type LineExplanation struct {
	Steps  []ExplanationStep `json:"steps,omitempty" doc:"What the price costs in a whole period, step by step. The amounts sum to it; the sum is rounded once, half away from zero. Absent: the price costs nothing, or part is of the line that a credit reverses."`
	Before int64             `json:"before,omitempty" example:"1200" doc:"Of usage: what of the steps was billed already, by earlier invoices or in earlier periods, in minor units. The line is for the rest. Absent: nothing was."`
	Part   *ExplanationPart  `json:"part,omitempty" doc:"Of a line for a part of a period: the part of the whole amount that it bills or gives back. Of usage: what is a level, such as the most that there was, costs its part where a change of plan divides the period. Absent: the line is for all of it."`
	Limit  *ExplanationLimit `json:"limit,omitempty" doc:"Of a credit that gives back less than its part. Absent: it gives the part back."`
}

// ExplanationStep is a quantity times the price of one.
type ExplanationStep struct {
	Kind       string `json:"kind" enum:"fixed,units,packages,share,fees,included,raised,lowered,minimum,maximum" example:"units" doc:"units, packages: so many at an amount for each; a package that is begun counts in full. fixed: an amount whatever the quantity. share: a percentage of an amount of money; the quantity is in major units, and unitAmount is what of each is charged. fees: transactions at a fee for each. included: units, or an amount in major units, that are free. raised, lowered: what the bounds of single transactions add or take off. minimum, maximum: what the bound of the price adds or takes off."`
	Tier       int    `json:"tier,omitempty" example:"2" doc:"The tier of the price that the step belongs to, counted from 1. Absent: none."`
	Quantity   string `json:"quantity" example:"2" doc:"A decimal."`
	UnitAmount string `json:"unitAmount" example:"400" doc:"What one costs: a decimal in minor units, which may be a part of one."`
	Amount     string `json:"amount" example:"800" doc:"quantity × unitAmount, exactly: a decimal in minor units."`
}

// ExplanationPart is the part of an amount that falls on a span of time.
type ExplanationPart struct {
	Of      string `json:"of" enum:"period,reversed_line" example:"period" doc:"What is divided. period: what a whole period costs, the sum of the steps. reversed_line: the amount and the time of the line that the credit reverses, after a change without proration."`
	Amount  int64  `json:"amount" example:"3400" doc:"The whole amount, in minor units. The part is round(amount × to ÷ length) − round(amount × from ÷ length), each half away from zero, so that all parts of a period sum to it."`
	Measure string `json:"measure" enum:"second,day,day_inclusive,fixed_30" example:"second" doc:"The unit in which from, to and length are counted: the prorationMeasure of the period, or seconds where the period is shorter than one unit."`
	From    int64  `json:"from" example:"864000" doc:"The unit at which the part begins, counted from 0."`
	To      int64  `json:"to" example:"2592000" doc:"The unit at which it ends, which is no part of it."`
	Length  int64  `json:"length" example:"2592000" doc:"The units of the whole."`
}

// ExplanationLimit is the most that a credit gives back.
type ExplanationLimit struct {
	Amount int64  `json:"amount" example:"1400" doc:"What the credit gives back, in minor units."`
	Reason string `json:"reason" enum:"billed,returned" example:"billed" doc:"billed: no more is billed for the time that it takes back, less credit notes. returned: the rest of what was paid for the period went back before, in money or by credit notes."`
}

// RenderExplanation shows how the amount of a line comes about; nil: quantity × unit price says it.
func RenderExplanation(e *invoice.Explanation, c money.Currency) *LineExplanation {
	if e == nil {
		return nil
	}
	out := LineExplanation{Before: int64(e.Before)}
	for _, s := range e.Steps {
		out.Steps = append(out.Steps, ExplanationStep{
			Kind: string(s.Kind), Tier: s.Tier, Quantity: s.Quantity, UnitAmount: money.ShownInMinor(s.UnitPrice, c),
			Amount: money.ShownInMinor(s.Amount, c),
		})
	}
	if p := e.Part; p != nil {
		out.Part = &ExplanationPart{
			Of: string(p.Of), Amount: int64(p.Whole), Measure: string(p.Measure), From: p.From, To: p.To, Length: p.Length,
		}
	}
	if l := e.Limit; l != nil {
		out.Limit = &ExplanationLimit{Amount: int64(l.Amount), Reason: string(l.Reason)}
	}
	return &out
}

// ExampleExplanation is the explanation of five units at 380, for the last half of a month.
func ExampleExplanation() *LineExplanation {
	return RenderExplanation(&invoice.Explanation{
		Steps: []invoice.Step{{Kind: rating.Units, Quantity: "5", UnitPrice: "3.8", Amount: "19"}},
		Part: &invoice.Part{
			Of: invoice.DividedPeriod, Whole: 1900, Measure: proration.Second, From: 1209600, To: 2419200, Length: 2419200,
		},
	}, "USD")
}

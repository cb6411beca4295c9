package invoice

import (
	"perennial/billing/money"
	"perennial/billing/proration"
	"perennial/billing/rating"
)

// Explanation shows how the amount of a line was calculated, where quantity × unit price does not. The steps sum to the
// cost of a whole period, rounded once; a line of a part of the period has Part of that; a credit gives back at most
// Limit. No rule reads an explanation: it shows an amount that was decided.
//
// It is stored with the line. Fields are added, never renamed.
type Explanation struct {
	Steps []Step `json:"steps,omitempty"` // none: the part is of a line, or the price costs nothing
	// Before is the part of the steps that was billed already, for usage: by earlier invoices, or in earlier periods.
	Before money.Minor `json:"before,omitempty"`
	Part   *Part       `json:"part,omitempty"`  // nil: the line is of the whole period
	Limit  *Limit      `json:"limit,omitempty"` // nil: nothing lowers a credit
}

// Step is a step of a calculation as the line keeps it: decimals in major units of the currency. They are text, since a
// step may have more digits than a decimal of a request.
type Step struct {
	Kind      rating.StepKind `json:"kind"`
	Tier      int             `json:"tier,omitempty"` // from 1; 0 where the step belongs to no tier
	Quantity  string          `json:"quantity"`
	UnitPrice string          `json:"unitPrice"`
	Amount    string          `json:"amount"`
}

// StepsOf returns the steps of a calculation as a line keeps them.
func StepsOf(rated []rating.Step) []Step {
	if len(rated) == 0 { // as an empty list is read back
		return nil
	}
	steps := make([]Step, len(rated))
	for i, s := range rated {
		steps[i] = Step{
			Kind: s.Kind, Tier: s.Tier, Quantity: s.Quantity.String(), UnitPrice: s.UnitPrice.String(),
			Amount: s.Amount.String(),
		}
	}
	return steps
}

// Divided says which amount a part is taken of.
type Divided string

// The amounts that a part can be taken of.
const (
	// DividedPeriod is the amount that the price costs in a whole period.
	DividedPeriod Divided = "period"
	// DividedLine is the amount of the line that a credit reverses, and the time that it bills.
	DividedLine Divided = "reversed_line"
)

// Part is the part of an amount that falls on a span of time, rounded cumulatively: what falls on the time up to To,
// less what falls on the time up to From.
type Part struct {
	Of      Divided           `json:"of"`
	Whole   money.Minor       `json:"whole"`
	Measure proration.Measure `json:"measure"` // whose units From, To and Length count
	From    int64             `json:"from"`
	To      int64             `json:"to"`
	Length  int64             `json:"length"`
}

// LimitReason is the reason why a credit gives back less than its part.
type LimitReason string

// The reasons.
const (
	// LimitBilled: no more is billed for the time that it takes back, after credit notes.
	LimitBilled LimitReason = "billed"
	// LimitReturned: the rest of the money that paid for the period went back before.
	LimitReturned LimitReason = "returned"
)

// Limit is the most that a credit gives back, where that is less than its part.
type Limit struct {
	Amount money.Minor `json:"amount"`
	Reason LimitReason `json:"reason"`
}

// Limited returns a credit whose amount is the most that it may give back, for a reason.
func (l Line) Limited(reason LimitReason) Line {
	if l.Explanation != nil {
		limited := *l.Explanation
		limited.Limit = &Limit{Amount: -l.Amount, Reason: reason}
		l.Explanation = &limited
	}
	return l
}

package rating

import (
	"fmt"

	"perennial/billing/money"
)

// StepKind is the kind of charge of a step of a calculation.
type StepKind string

// The kinds of steps.
const (
	Fixed    StepKind = "fixed"    // an amount without regard to the quantity
	Units    StepKind = "units"    // units at a price for each
	Packages StepKind = "packages" // started packages at a price for each
	Share    StepKind = "share"    // a percentage of an amount; its unit price is the percentage / 100
	Fees     StepKind = "fees"     // transactions at a fee for each
	Included StepKind = "included" // units or amounts that are free
	Raised   StepKind = "raised"   // the increase by the minimum of single transactions
	Lowered  StepKind = "lowered"  // the reduction by the maximum of single transactions
	Minimum  StepKind = "minimum"  // the increase by the minimum of the period
	Maximum  StepKind = "maximum"  // the reduction by the maximum of the period
)

// Step is one line of the calculation behind an amount: a quantity times a unit price. All are exact, in major units,
// and the amounts of all steps sum to the exact amount.
type Step struct {
	Kind      StepKind      `json:"kind"`
	Tier      int           `json:"tier,omitempty"` // from 1; 0 where the step belongs to no tier
	Quantity  money.Decimal `json:"quantity"`
	UnitPrice money.Decimal `json:"unitPrice"`
	Amount    money.Decimal `json:"amount"`
}

func step(kind StepKind, tier int, quantity, unitPrice money.Decimal) Step {
	return Step{Kind: kind, Tier: tier, Quantity: quantity, UnitPrice: unitPrice, Amount: quantity.Mul(unitPrice)}
}

// String writes the step so that a person can check it: "tier 2: 15 units × 0.5 = 7.5".
func (s Step) String() string {
	where := ""
	if s.Tier > 0 {
		where = fmt.Sprintf("tier %d: ", s.Tier)
	}
	return where + s.text()
}

func (s Step) text() string {
	switch s.Kind {
	case Fixed:
		return "fixed amount " + s.Amount.String()
	case Share:
		hundredfold := s.UnitPrice.Mul(money.Whole(100))
		return fmt.Sprintf("%s %% of %s = %s", hundredfold, s.Quantity, s.Amount)
	case Included:
		return s.Quantity.String() + " included"
	case Raised:
		return "raised by " + s.Amount.String() + " to the minimum of each transaction"
	case Lowered:
		return "lowered by " + money.Whole(0).Sub(s.Amount).String() + " to the maximum of each transaction"
	case Minimum:
		return "raised by " + s.Amount.String() + " to the minimum"
	case Maximum:
		return "lowered by " + money.Whole(0).Sub(s.Amount).String() + " to the maximum"
	case Fees:
		return fmt.Sprintf("%s transactions × %s = %s", s.Quantity, s.UnitPrice, s.Amount)
	case Units, Packages:
		return fmt.Sprintf("%s %s × %s = %s", s.Quantity, s.Kind, s.UnitPrice, s.Amount)
	default:
		return fmt.Sprintf("%s × %s = %s", s.Quantity, s.UnitPrice, s.Amount)
	}
}

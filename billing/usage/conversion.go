package usage

import (
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Conversion converts the reported unit to the sold one, such as seconds to hours: it multiplies, divides, then rounds.
// Each step is optional.
type Conversion struct {
	MultiplyBy money.Decimal  `json:"multiplyBy,omitzero"`
	DivideBy   money.Decimal  `json:"divideBy,omitzero"`
	Rounding   money.Rounding `json:"rounding,omitempty"` // empty: not rounded
	Digits     int32          `json:"digits,omitempty"`   // after the point; below 0: to tens, hundreds and so on
}

const maxRoundingDigits = 12

// Apply converts a quantity. A period's whole quantity is converted at once, never its parts.
func (c Conversion) Apply(q money.Decimal) money.Decimal {
	if c.MultiplyBy.IsGiven() {
		q = q.Mul(c.MultiplyBy)
	}
	if c.DivideBy.IsGiven() {
		q = q.Quo(c.DivideBy)
	}
	if c.Rounding != "" {
		q = q.RoundTo(c.Digits, c.Rounding)
	}
	return q
}

// validate refuses a factor that is not positive and an unknown rounding: metric_conversion_invalid.
func (c Conversion) validate() error {
	for param, d := range map[string]money.Decimal{"multiplyBy": c.MultiplyBy, "divideBy": c.DivideBy} {
		if d.IsGiven() && d.Sign() <= 0 {
			return fault.InvalidParam("conversion."+param, "metric_conversion_invalid",
				"`conversion.%s` must be greater than 0. The request has %s.", param, d)
		}
	}
	switch {
	case c.Rounding != "" && !c.Rounding.IsKnown():
		return fault.InvalidParam("conversion.rounding", "metric_conversion_invalid",
			"`conversion.rounding` must be `half_up`, `up` or `down`.")
	case c.Rounding == "" && c.Digits != 0, c.Digits > maxRoundingDigits, c.Digits < -maxRoundingDigits:
		return fault.InvalidParam("conversion.digits", "metric_conversion_invalid",
			"`conversion.digits` must be from -%d to %d and needs `rounding`.", maxRoundingDigits, maxRoundingDigits)
	}
	return nil
}

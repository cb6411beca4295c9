package usage

import (
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Conversion turns the unit in which usage is reported into the one that is sold, such as seconds into hours:
// multiplied, divided, then rounded. Each may be absent.
type Conversion struct {
	MultiplyBy money.Decimal  `json:"multiplyBy,omitzero"`
	DivideBy   money.Decimal  `json:"divideBy,omitzero"`
	Rounding   money.Rounding `json:"rounding,omitempty"` // empty: not rounded
	Digits     int32          `json:"digits,omitempty"`   // behind the point; below 0: to tens, hundreds and so on
}

const maxRoundingDigits = 12

// Apply converts a quantity. The whole quantity of a period is converted at once, never its parts.
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

// validate refuses a factor that is not above 0 and an unknown rounding: metric_conversion_invalid.
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

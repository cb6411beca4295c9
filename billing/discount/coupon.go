package discount

import "perennial/billing/fault"

// Duration says for how many invoices of a subscription a coupon holds.
type Duration string

// The durations.
const (
	Once      Duration = "once"
	Repeating Duration = "repeating" // for a number of periods
	Forever   Duration = "forever"
)

// Coupon is a discount that customers redeem.
type Coupon struct {
	Discount
	Duration Duration
	Periods  int // of a repeating one
	// MaxRedemptions bounds how many times it is redeemed; 0 is no bound.
	MaxRedemptions int
}

// maxPeriods bounds a repeating coupon: ten years of months.
const maxPeriods = 120

// Validate checks a new coupon. Faults: those of Discount, coupon_duration_unknown, coupon_periods_out_of_range,
// coupon_redemptions_out_of_range.
func (c Coupon) Validate() error {
	if err := c.Discount.Validate(); err != nil {
		return err
	}
	switch c.Duration {
	case Once, Forever:
		if c.Periods != 0 {
			return fault.InvalidParam("periods", "coupon_periods_out_of_range",
				"Only a repeating coupon has `periods`. Leave it out.")
		}
	case Repeating:
		if c.Periods < 1 || c.Periods > maxPeriods {
			return fault.InvalidParam("periods", "coupon_periods_out_of_range",
				"`periods` must be 1 to %d. The request has %d.", maxPeriods, c.Periods)
		}
	default:
		return fault.InvalidParam("duration", "coupon_duration_unknown",
			"%.30q is not a duration. Send `once`, `repeating` or `forever`.", string(c.Duration))
	}
	if c.MaxRedemptions < 0 {
		return fault.InvalidParam("maxRedemptions", "coupon_redemptions_out_of_range",
			"`maxRedemptions` cannot be negative. Send 0 for a coupon without bound.")
	}
	return nil
}

// Redeem refuses a coupon that has been redeemed as often as it may be: coupon_used_up.
func (c Coupon) Redeem(redeemed int) error {
	if c.MaxRedemptions > 0 && redeemed >= c.MaxRedemptions {
		return fault.New(fault.Conflict, "coupon_used_up",
			"The coupon has been redeemed %d times, which is its limit. Use another coupon.", redeemed)
	}
	return nil
}

// Use is a redeemed coupon of a subscription, as it lasts.
type Use struct {
	Coupon   Coupon
	Invoices int // that it has been taken off
}

// Left is how many more invoices it holds for; unbounded says that there is no end.
func (u Use) Left() (invoices int, unbounded bool) {
	switch u.Coupon.Duration {
	case Forever:
		return 0, true
	case Repeating:
		return max(u.Coupon.Periods-u.Invoices, 0), false
	default:
		return max(1-u.Invoices, 0), false
	}
}

// Ended reports whether it takes nothing off any more.
func (u Use) Ended() bool {
	left, unbounded := u.Left()
	return left == 0 && !unbounded
}

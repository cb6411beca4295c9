package discount

import (
	"regexp"
	"slices"
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// Duration says for how many periods of a subscription a coupon applies.
type Duration string

// The durations.
const (
	Once      Duration = "once"
	Repeating Duration = "repeating" // for a number of periods
	Forever   Duration = "forever"
)

// Terms are the discount of a coupon, its plans and its duration. A redemption keeps the terms of its time.
type Terms struct {
	Discount
	Currency money.Currency `json:"currency,omitzero"` // of an amount; a percentage has none
	Duration Duration       `json:"duration"`
	Periods  int            `json:"periods,omitzero"` // of a repeating one
	PlanIDs  []string       `json:"planIds,omitzero"` // whose prices it is taken off; nil: any plan's
}

// Coupon is a discount that customers redeem by its code. Its terms never change.
type Coupon struct {
	ID   string
	Code string // unique in its environment, in upper or lower case
	Name string
	Terms
	// MaxRedemptions bounds how many times it is redeemed; 0 is no bound.
	MaxRedemptions int
	Redeemed       int       // so many times until now
	RedeemBy       time.Time // when it can no longer be redeemed; zero: never
	Active         bool
	CreatedAt      time.Time
}

// maxPeriods bounds a repeating coupon: ten years of months.
const maxPeriods = 120

// MaxPlans bounds the plans that a coupon is restricted to.
const MaxPlans = 20

var codes = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$`)

// CheckCode refuses codes that people could not type or distinguish: coupon_code_invalid.
func CheckCode(code string) error {
	if !codes.MatchString(code) {
		return fault.InvalidParam("code", "coupon_code_invalid",
			"`code` must have 1 to 50 of the letters A to Z, digits, `-` and `_`, and begin with a letter or digit.")
	}
	return nil
}

// Validate checks new terms. Faults: those of Discount, coupon_currency_unclear, coupon_duration_unknown,
// coupon_periods_out_of_range.
func (t Terms) Validate() error {
	if err := t.Discount.Validate(); err != nil {
		return err
	}
	if (t.Amount != 0) != (t.Currency != "") {
		return fault.InvalidParam("currency", "coupon_currency_unclear",
			"Send `currency` with `amount`, and without it with `percent`.")
	}
	switch t.Duration {
	case Once, Forever:
		if t.Periods != 0 {
			return fault.InvalidParam("periods", "coupon_periods_out_of_range",
				"Only a repeating coupon has `periods`. Leave it out.")
		}
	case Repeating:
		if t.Periods < 1 || t.Periods > maxPeriods {
			return fault.InvalidParam("periods", "coupon_periods_out_of_range",
				"`periods` must be 1 to %d. The request has %d.", maxPeriods, t.Periods)
		}
	default:
		return fault.InvalidParam("duration", "coupon_duration_unknown",
			"%.30q is not a duration. Send `once`, `repeating` or `forever`.", string(t.Duration))
	}
	return nil
}

// Validate checks a new coupon. Faults: those of Terms, coupon_redemptions_out_of_range.
func (c Coupon) Validate() error {
	if err := c.Terms.Validate(); err != nil {
		return err
	}
	if c.MaxRedemptions < 0 {
		return fault.InvalidParam("maxRedemptions", "coupon_redemptions_out_of_range",
			"`maxRedemptions` cannot be negative. Send 0 for a coupon without bound.")
	}
	return nil
}

// Redemption is the object that a coupon is redeemed for.
type Redemption struct {
	PlanID   string
	Currency money.Currency
	At       time.Time
}

// The refusals of a redemption.
var (
	ErrInactive = fault.New(fault.Conflict, "coupon_inactive",
		"The coupon is not active. Use another coupon.").In("couponCode")
	ErrExpired = fault.New(fault.Conflict, "coupon_expired",
		"The time in which the coupon could be redeemed is over. Use another coupon.").In("couponCode")
	// ErrUsedUp also comes from the commit, where another redemption was faster.
	ErrUsedUp = fault.New(fault.Conflict, "coupon_used_up",
		"The coupon was redeemed as often as it may be, or has just been deactivated. Use another coupon.").In("couponCode")
	ErrCurrency = fault.New(fault.Conflict, "coupon_currency_mismatch",
		"The coupon takes off an amount in another currency than the subscription's. Use another coupon.").In("couponCode")
	ErrPlan = fault.New(fault.Conflict, "coupon_not_for_plan",
		"The coupon is not for the plan of the subscription. Use another coupon.").In("couponCode")
)

// Redeem refuses a coupon that the subscription cannot have: coupon_inactive, coupon_expired, coupon_used_up,
// coupon_currency_mismatch, coupon_not_for_plan.
func (c Coupon) Redeem(r Redemption) error {
	switch {
	case !c.Active:
		return ErrInactive
	case !c.RedeemBy.IsZero() && !r.At.Before(c.RedeemBy):
		return ErrExpired
	case c.MaxRedemptions > 0 && c.Redeemed >= c.MaxRedemptions:
		return ErrUsedUp
	case c.Currency != "" && c.Currency != r.Currency:
		return ErrCurrency
	case !c.For(r.PlanID):
		return ErrPlan
	}
	return nil
}

// For reports whether it is taken off the prices of a plan.
func (t Terms) For(planID string) bool {
	return len(t.PlanIDs) == 0 || slices.Contains(t.PlanIDs, planID)
}

// Same reports whether both take off the same, of the same plans, for as long.
func (t Terms) Same(other Terms) bool {
	plans := func(ids []string) []string { return slices.Sorted(slices.Values(ids)) }
	return t.Percent.Cmp(other.Percent) == 0 && t.Amount == other.Amount && t.Currency == other.Currency &&
		t.Duration == other.Duration && t.Periods == other.Periods && slices.Equal(plans(t.PlanIDs), plans(other.PlanIDs))
}

// Use is a redeemed coupon of a subscription, as it lasts.
type Use struct {
	Terms   Terms
	Periods int // that are over since it began
}

// Left returns the number of periods that are left; unbounded reports that there is no end.
func (u Use) Left() (periods int, unbounded bool) {
	switch u.Terms.Duration {
	case Forever:
		return 0, true
	case Repeating:
		return max(u.Terms.Periods-u.Periods, 0), false
	default:
		return max(1-u.Periods, 0), false
	}
}

// Ended reports whether it takes nothing off any more.
func (u Use) Ended() bool {
	left, unbounded := u.Left()
	return left == 0 && !unbounded
}

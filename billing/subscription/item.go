package subscription

import "perennial/billing/fault"

// MaxQuantity bounds the units of a subscription: more is a typing error.
const MaxQuantity = 1_000_000_000

// Item is a price as one subscription has it. Its id is derived from both, so that a price has one item as long as the
// subscription lives, also when it comes back after a change of plan.
type Item struct {
	ID       string
	PriceID  string
	Quantity int64
}

// CheckQuantity refuses what no subscription can have: quantity_out_of_range.
func CheckQuantity(quantity int64) error {
	if quantity < 1 || quantity > MaxQuantity {
		return fault.InvalidParam("quantity", "quantity_out_of_range",
			"`quantity` must be 1 to %d. The request has %d.", int64(MaxQuantity), quantity)
	}
	return nil
}

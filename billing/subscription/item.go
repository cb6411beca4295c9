package subscription

import "perennial/billing/fault"

// MaxQuantity bounds the units of a subscription: a higher number is a typing error.
const MaxQuantity = 1_000_000_000

// Item is a price of one subscription. Its id is derived from both, so that a price has the same item for the life of
// the subscription, also when a change of plan brings it back. It stays where another version of the plan repeats the
// price with another id.
type Item struct {
	ID       string
	PriceID  string
	Quantity int64
	// Joined is the index of the period with which it joined the subscription; 0: with the first, or a build from before
	// there was this field added it. What a person gave up before then, or was paid in another system, bills none of it.
	Joined int
}

// Alike reports whether other is the same item with the same quantity.
func (i Item) Alike(other Item) bool { return i.ID == other.ID && i.Quantity == other.Quantity }

// CheckQuantity refuses a quantity out of range: quantity_out_of_range.
func CheckQuantity(quantity int64) error {
	if quantity < 1 || quantity > MaxQuantity {
		return fault.InvalidParam("quantity", "quantity_out_of_range",
			"`quantity` must be 1 to %d. The request has %d.", int64(MaxQuantity), quantity)
	}
	return nil
}

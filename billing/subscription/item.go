package subscription

import (
	"slices"

	"perennial/billing/fault"
	"perennial/billing/plan"
)

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

// Itemized returns the subscription with the items that its plan and its add-ons give it. They are there already, but
// for a subscription that is new, or that a build from before there were items has created or changed.
func (s Period) Itemized() Subscription {
	if items := s.itemsOn(s.Facts.Plan); !slices.Equal(items, s.Items) {
		s.Items = items
	}
	return s.Subscription
}

// itemsOn returns the items of the subscription on a plan: one for each price that every period has, of the plan and of
// the add-ons.
func (s Period) itemsOn(p plan.Plan) []Item {
	items := s.billedOn(p)
	for i := range items {
		items[i].ID = s.Facts.ItemID(items[i].PriceID)
	}
	return items
}

// billedOn is itemsOn without the ids.
func (s Period) billedOn(p plan.Plan) []Item {
	items := make([]Item, 0, len(p.Prices)+len(s.AddOns))
	add := func(of plan.Plan, quantity int64) {
		for _, price := range of.Prices {
			if !price.Once {
				items = append(items, Item{PriceID: price.ID, Quantity: price.Units(quantity)})
			}
		}
	}
	add(p, s.Quantity)
	for _, a := range s.AddOns {
		add(s.Facts.addOn(a.Ref), a.Quantity)
	}
	return items
}

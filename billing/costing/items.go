package costing

import (
	"slices"

	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Itemized returns the subscription with the items of its plan and its add-ons. It has them already, unless it is new,
// or an earlier build without items created or changed it.
func (s Period) Itemized() subscription.Subscription {
	if items := s.ItemsOn(s.Facts.Plan); !slices.Equal(items, s.Items) {
		s.Items = items
	}
	return s.Subscription
}

// ItemsOn returns the items of the subscription on a plan: one for each price that every period has in advance, of the
// plan and of the add-ons.
func (s Period) ItemsOn(p plan.Plan) []subscription.Item {
	items := s.billedOn(p)
	for i := range items {
		items[i].ID = s.Facts.ItemID(items[i].PriceID)
	}
	return items
}

// billedOn is ItemsOn without the ids.
func (s Period) billedOn(p plan.Plan) []subscription.Item {
	items := make([]subscription.Item, 0, len(p.Prices)+len(s.AddOns))
	add := func(of plan.Plan, quantity int64) {
		for _, price := range of.Prices {
			if !price.Once && !price.Arrears {
				items = append(items, subscription.Item{PriceID: price.ID, Quantity: price.Units(quantity)})
			}
		}
	}
	add(p, s.Quantity)
	for _, a := range s.AddOns {
		add(s.Facts.AddOn(a.Ref), a.Quantity)
	}
	return items
}

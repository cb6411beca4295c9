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
// plan and of the add-ons. A price that another version of the same plan or add-on repeats has the same item: what was
// billed for it, or given up, counts on.
func (s Period) ItemsOn(p plan.Plan) []subscription.Item {
	items, had := s.billedOn(p), slices.Clone(s.Items)
	for i := range items {
		same := func(item subscription.Item) bool {
			id := items[i].PriceID
			return item.PriceID == id || s.Facts.repeats(s.Facts.holder(p, id), id, item)
		}
		if at := slices.IndexFunc(had, same); at >= 0 {
			items[i].ID, items[i].Joined = had[at].ID, had[at].Joined
			had = slices.Delete(had, at, at+1) // a version may have a price twice
			continue
		}
		items[i].ID, items[i].Joined = s.Facts.ItemID(items[i].PriceID), s.PeriodIndex
	}
	return items
}

// Join notes that the items that are not among others join with the current period.
func (s *Period) Join(had []subscription.Item) {
	s.Items = slices.Clone(s.Items)
	for i, item := range s.Items {
		if !slices.ContainsFunc(had, func(h subscription.Item) bool { return h.ID == item.ID }) {
			s.Items[i].Joined = s.PeriodIndex
		}
	}
}

// repeats reports whether a price of a plan or add-on is that of an item, with another id, as a new version has it.
func (f Facts) repeats(of plan.Plan, priceID string, item subscription.Item) bool {
	was := f.holder(f.Plan, item.PriceID)
	return was.Version != of.Version && of.Repeats(priceID, was, item.PriceID)
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

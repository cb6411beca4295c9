package subscriptions

import (
	"perennial/billing/subscription"
	"perennial/db/catalog"
)

// addOnsToDB returns add-ons as two lists; no add-ons are two empty ones.
func addOnsToDB(addOns subscription.AddOns) (ids []string, quantities []int64) {
	ids, quantities = make([]string, len(addOns)), make([]int64, len(addOns))
	for i, a := range addOns {
		ids[i], quantities[i] = catalog.VersionID(a.Ref), a.Quantity
	}
	return ids, quantities
}

// pendingAddOnsToDB returns the add-ons from a period's end on; null: no change.
func pendingAddOnsToDB(addOns *subscription.AddOns) (ids []string, quantities []int64) {
	if addOns == nil {
		return nil, nil
	}
	return addOnsToDB(*addOns)
}

// addOnsFromDB is the reverse of addOnsToDB.
func addOnsFromDB(ids []string, quantities []int64) (addOns subscription.AddOns) {
	for i, rowID := range ids {
		addOns = append(addOns, subscription.AddOn{Ref: catalog.PlanRef(rowID), Quantity: quantities[i]})
	}
	return addOns
}

// pendingAddOnsFromDB is the reverse of pendingAddOnsToDB.
func pendingAddOnsFromDB(ids []string, quantities []int64) *subscription.AddOns {
	if ids == nil {
		return nil
	}
	addOns := addOnsFromDB(ids, quantities)
	return &addOns
}

package subscriptions

import (
	"perennial/api/view"
	"perennial/billing/subscription"
	"perennial/service/subscriptions"
)

// SubscriptionAddOn is an add-on of a subscription.
type SubscriptionAddOn struct {
	PlanID      string `json:"planId" example:"plan_01jcz6f0x3v8r5t2m9k4h7q1wz" doc:"The add-on, a plan of the kind add_on."`
	PlanVersion int    `json:"planVersion" example:"1" doc:"Its version, which stays until the add-on's subscriptions are migrated."`
	Quantity    int64  `json:"quantity" example:"2" doc:"Units of its prices that are not flat."`
}

// AddOnForm requests an add-on.
type AddOnForm struct {
	PlanID   string `json:"planId" minLength:"1" maxLength:"64" example:"plan_01jcz6f0x3v8r5t2m9k4h7q1wz" doc:"The add-on, a plan of the kind add_on."`
	Quantity *int64 `json:"quantity,omitempty" minimum:"1" maximum:"1000000000" example:"2" doc:"Units of its prices. Flat prices ignore it. Default: 1."`
}

func renderAddOns(addOns subscription.AddOns) []SubscriptionAddOn {
	shown := make([]SubscriptionAddOn, len(addOns))
	for i, a := range addOns {
		shown[i] = SubscriptionAddOn{PlanID: a.ID, PlanVersion: a.Version, Quantity: a.Quantity}
	}
	return shown
}

// renderPendingAddOns returns nil where no change waits, and an empty list where all add-ons will be removed.
func renderPendingAddOns(addOns *subscription.AddOns) *[]SubscriptionAddOn {
	if addOns == nil {
		return nil
	}
	shown := renderAddOns(*addOns)
	return &shown
}

func addOnChoices(forms []AddOnForm) []subscriptions.AddOnChoice {
	choices := make([]subscriptions.AddOnChoice, len(forms))
	for i, f := range forms {
		choices[i] = subscriptions.AddOnChoice{PlanID: f.PlanID, Quantity: view.Given(f.Quantity)}
	}
	return choices
}

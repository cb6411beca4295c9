// Package subscribing owns the life of a subscription: the commands and occurrences that each status allows, and their
// effects (a new state, invoices to issue, events to announce). It is pure: it takes rows and the time, and returns a
// Decision. Package costing owns the cost of a period, and collection the collection of invoices.
package subscribing

import (
	"slices"

	"perennial/billing/costing"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Situation is a subscription with the facts that decisions about it depend on. Its methods are the commands and the
// occurrences of a subscription's life.
type Situation struct{ costing.Period }

// With returns the situation of a subscription with facts.
func With(s subscription.Subscription, f costing.Facts) Situation {
	return Situation{costing.Period{Subscription: s, Facts: f}}
}

// Knowing returns the situation with the plans and add-ons of a command.
func (s Situation) Knowing(brought ...plan.Plan) Situation {
	s.Facts.AddOns = slices.Concat(s.Facts.AddOns, brought)
	return s
}

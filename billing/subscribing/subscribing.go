// Package subscribing owns the life of a subscription: which command or occurrence is legal in which status, and what
// each leads to (a new state, invoices to issue, events to announce). It is pure: the rows and the time come in, a
// Decision goes out. It does not own what a period costs (costing), nor how invoices are collected (collection).
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

// Knowing returns the situation with plans and add-ons that a command brings.
func (s Situation) Knowing(brought ...plan.Plan) Situation {
	s.Facts.AddOns = slices.Concat(s.Facts.AddOns, brought)
	return s
}

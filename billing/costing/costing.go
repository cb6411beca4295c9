// Package costing owns the cost of a period of a subscription: the lines of its items with fees and coupons, the time
// that is left of them at a change, the lines that wait for the next invoice, and the most that may be given back. It
// does not own when that is billed (subscribing), nor the arithmetic of invoices (totals) and of parts of a period
// (proration).
package costing

import "perennial/billing/subscription"

// Period is the current period of a subscription, with the facts that its cost depends on.
type Period struct {
	subscription.Subscription
	Facts Facts
}

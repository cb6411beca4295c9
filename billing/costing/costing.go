// Package costing owns what a period of a subscription costs: the lines of its items with fees and coupons, the time
// that is left of them at a change, the lines that wait for the next invoice, and the most that may go back. It does
// not own when that is billed (subscribing), nor the arithmetic of invoices (totals) and of parts of a period
// (proration).
package costing

import "perennial/billing/subscription"

// Period is the current period of a subscription, with the facts that its cost depends on.
type Period struct {
	subscription.Subscription
	Facts Facts
}

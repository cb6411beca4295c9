// Package proration owns what a change within a period is worth: which part of a price falls on the rest of the period,
// and how much of the time not used is given back. It does not own where a credit goes or how invoice lines look.
package proration

import "perennial/billing/money"

// Credit is what is given back for unused time: its worth, but at most what is billed for it less the credits already
// given. Nobody gets back what was never asked of him, and credits beyond what is billed leave nothing to give.
func Credit(unused, billed money.Minor) money.Minor {
	return max(0, min(unused, billed))
}

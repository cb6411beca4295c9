// Package proration owns the value of a change within a period: the part of a price for the rest of the period, and the
// credit for the unused time. It does not own where a credit goes or how invoice lines look.
package proration

import "perennial/billing/money"

// Credit returns the credit for unused time: its value, but at most the amount billed for it less earlier credits. A
// customer gets no more back than was charged, and credits beyond the billed amount leave nothing to give.
func Credit(unused, billed money.Minor) money.Minor {
	return max(0, min(unused, billed))
}

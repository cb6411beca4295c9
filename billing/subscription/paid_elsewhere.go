package subscription

import "perennial/billing/fault"

// ErrPaidElsewhere refuses a change whose price depends on what was paid in another system.
var ErrPaidElsewhere = fault.New(fault.Conflict, "period_paid_elsewhere",
	"The current period was paid in the system that the subscription was imported from, so that no invoice here can "+
		"credit its unused time. Send `effective: \"period_end\"`, or `prorationBehavior: \"none\"` where the interval stays.")

// paidElsewhere reports whether the current period was paid in another system. It ends with the period: the next one
// that opens has another index.
func (s Subscription) paidElsewhere() bool {
	return s.PaidElsewhereIndex != 0 && s.PaidElsewhereIndex == s.PeriodIndex
}

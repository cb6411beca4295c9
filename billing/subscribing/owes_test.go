package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// A change that nothing is to be paid for now changes what was paid for only where it is prorated, nothing waits and
// nothing is past due.
func TestOwes(t *testing.T) {
	t.Parallel()
	paid := &subscription.PaidFor{Plan: plan.Ref{ID: "plan_before", Version: 1}, Quantity: 2, PeriodIndex: 1}
	waiting := []invoice.Line{{ID: "pending_0", Amount: 100, PeriodIndex: 1}}
	const active, pastDue = subscription.Active, subscription.PastDue
	for name, c := range map[string]struct {
		status  subscription.Status
		how     subscription.ProrationBehavior
		waiting []invoice.Line
		covered bool
		want    *subscription.PaidFor
	}{
		"prorated to nothing":                {active, subscription.InvoiceNow, nil, true, nil},
		"the period has no invoice":          {active, subscription.InvoiceNow, nil, false, nil},
		"past due, and the period is billed": {pastDue, subscription.InvoiceNow, nil, true, paid},
		"past due, and it is not":            {pastDue, subscription.InvoiceNow, nil, false, paid},
		"lines wait":                         {active, subscription.NextInvoice, waiting, true, paid},
		"not prorated":                       {active, subscription.NoProration, nil, true, paid},
		"not prorated, and lines wait":       {active, subscription.NoProration, waiting, true, paid},
	} {
		s, f, _ := inStatus(subscription.Active)
		if !c.covered {
			f.Open = nil
		}
		s.Status, s.PendingLines, s.PaidFor, s.ActivatedAt = c.status, c.waiting, paid, created
		p := proposal{Situation: With(s, f), how: c.how}
		p.owes(s, nil)
		require.Equal(t, c.want, p.PaidFor, name)
	}
}

// The end with the period is announced for the end of the plan's own one, also where add-ons are billed more often.
func TestEndsAt(t *testing.T) {
	t.Parallel()
	s, f, _ := inStatus(subscription.Active)
	require.Equal(t, s.CurrentPeriod.End, endsAt(With(s, f)))
	s.PlanInterval = period.Interval{Unit: period.Year, Count: 1}
	require.Equal(t, s.AnchorAt.AddDate(1, 0, 0), endsAt(With(s, f)).In(time.UTC))
	trial, f, _ := inStatus(subscription.Trialing)
	trial.NextPeriod = 1 // the trial's end counts, whichever period opens next
	require.Equal(t, trial.CurrentPeriod.End, endsAt(With(trial, f)))
}

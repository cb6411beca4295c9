package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/subscription"
)

// An add-on for 0.01 of 30 days is added on the 11th day: 1 − round(11/30) = 1 is charged. It is removed on the 17th: 1
// − round(17/30) = 0 of its price is left, so nothing is credited. After a change without proration, all that is billed
// of the period is reversed by its lines: of 30.00 for 30 days 13.00. Of the add-on's line 1 − round(6/19) = 1 would be
// left, but its time was reversed before, at zero. A refund once gave it back a second time.
func TestCancel_TakesNothingBackTwiceThatCameToNothing(t *testing.T) {
	t.Parallel()
	month := period.Interval{Unit: period.Day, Count: 30}
	plan1, plan2, addOn := flat("plan_1", month, 3000), flat("plan_2", month, 6000), flat("add_on_0", month, 1)
	plan1.ProrationMeasure, addOn.AddOn = proration.Day, true
	l := newLife(t, []plan.Plan{plan1, plan2, addOn}, settings, plan1, 0)
	l.until(created)
	l.result(answer.Succeeded)
	day := func(n int) { l.until(created.Add(time.Duration(n) * 24 * time.Hour)) }

	day(11)
	l.must(lifecycle.ChangePlan{AddOns: &[]subscription.Chosen{{AddOn: addOn, Quantity: 1}}})
	require.Equal(t, money.Minor(1), l.last().Total)
	l.result(answer.Succeeded)
	day(17)
	l.must(lifecycle.ChangePlan{AddOns: &[]subscription.Chosen{}})
	l.how = subscription.NoProration
	l.changePlan(plan2, false)
	l.cancelNow(true)

	require.Equal(t, money.Minor(-1300), l.lastBack().Total)
	require.Equal(t, invoice.ProrationCredit, l.lastBack().Lines[0].Kind)
	require.Equal(t, money.Minor(1300), l.refunded())
}

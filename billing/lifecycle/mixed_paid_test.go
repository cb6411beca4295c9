package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/access"
	"perennial/billing/answer"
	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// untilPastDue declines every payment until the subscription is past due.
func (l *life) untilPastDue() {
	for l.live("") != nil || l.sub().Status == subscription.Active {
		if l.live("") != nil {
			l.result(answer.Declined)
			continue
		}
		_, at := l.next()
		l.until(at)
	}
}

// requirePaid checks what the customer has paid for, and may use.
func (l *life) requirePaid(on plan.Plan, addOns ...plan.Plan) {
	s := l.sub()
	require.NotNil(l.t, s.PaidFor)
	require.Equal(l.t, on.Ref(), s.AsPaid().Plan())
	var ids []string
	for _, a := range s.AsPaid().AddOns {
		ids = append(ids, a.ID)
	}
	var want []string
	for _, a := range addOns {
		want = append(want, a.ID)
	}
	require.Equal(l.t, want, ids)
	require.True(l.t, l.access().Allowed)
}

// The rest of the year is owed for the upgrade. A month that costs nothing does not pay for it.
func TestMixedPaidFor_FreeMonth(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	l.months(5)
	l.must(lifecycle.ChangePlan{AddOns: choose()})
	l.payAll()
	l.months(1)
	l.until(l.sub().CurrentPeriod.End.AddDate(0, 0, -2))
	l.must(lifecycle.ChangePlan{Plan: &annual2})
	l.result(answer.Declined)
	l.requirePaid(annual)
	l.until(l.sub().CurrentPeriod.End.Add(time.Hour))
	l.requirePaid(annual)
	l.untilPastDue()
	l.requirePaid(annual)
	require.Equal(t, access.Paid, l.access().Reason)
	require.Equal(t, firstYear.End, l.access().Until)
	l.months(2)
	l.requirePaid(annual)

	l.must(lifecycle.Pay{})
	l.payAll()
	require.Nil(t, l.sub().PaidFor, "the upgrade is paid")
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, firstYear.End, l.sub().PaidThrough)
}

// freeSeats redeems a coupon of the whole price of seats.
func freeSeats() lifecycle.Command {
	c := discount.Coupon{ID: "coup_1", Code: "SEATS", Active: true}
	c.Percent, c.Duration, c.PlanIDs = dec("100"), discount.Forever, []string{seats.ID}
	return lifecycle.RedeemCoupon{Code: c.Code, Coupon: &c}
}

// Nor do seats of 0.00.
func TestMixedPaidFor_FreeSeats(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	l.months(6)
	l.must(freeSeats())
	l.until(l.sub().CurrentPeriod.End.AddDate(0, 0, -2))
	l.must(lifecycle.ChangePlan{Plan: &annual2})
	l.result(answer.Declined)
	l.until(l.sub().CurrentPeriod.End)
	l.requirePaid(annual, seats)
}

// Nor do those of a month that begins in past due, and is billed: they pay for themselves.
func TestMixedPaidFor_FreeSeatsInPastDue(t *testing.T) {
	t.Parallel()
	accrue := settings
	accrue.PastDueBilling = subscription.AccruePastDue
	l := newLifeOf(t, []plan.Plan{annual, annual2, seats}, accrue, annual, subscribing.NewInput{AddOns: *choose(seats)})
	l.mixed = true
	l.until(created)
	l.payAll()
	l.months(6)
	l.must(lifecycle.ChangePlan{Plan: &annual2})
	l.untilPastDue()
	l.requirePaid(annual, seats)
	l.must(freeSeats())
	l.until(created.AddDate(0, 7, 5))
	require.Equal(t, subscription.PastDue, l.sub().Status)
	require.Equal(t, invoice.Paid, l.store.invoices[len(l.store.invoices)-1].Status)
	l.requirePaid(annual, seats)
	l.must(lifecycle.Pay{})
	l.payAll()
	require.Nil(t, l.sub().PaidFor)
}

// Of an upgrade that is not paid, the seats stay accessible to the end of the month that is paid, not of the year.
func TestMixedPaidFor_AddOnsOfThePast(t *testing.T) {
	t.Parallel()
	skip := settings
	skip.PastDueBilling = subscription.SkipPastDue
	l := newLifeOf(t, []plan.Plan{annual, annual2, seats, support}, skip, annual,
		subscribing.NewInput{AddOns: *choose(seats, support)})
	l.mixed = true
	l.until(created)
	l.payAll()
	l.months(6)
	l.must(lifecycle.ChangePlan{Plan: &annual2})
	l.untilPastDue()
	l.requirePaid(annual, seats, support)
	l.until(l.sub().CurrentPeriod.End)
	l.requirePaid(annual, support)
	l.until(created.AddDate(0, 10, 5))
	l.requirePaid(annual, support)
}

// A quarter that is not paid is not accessible, though it is longer than a month.
func TestMixedPaidFor_UnpaidQuarter(t *testing.T) {
	t.Parallel()
	sms := addOnOf("plan_sms", quarterly(1), 9_000)
	l := newLifeOf(t, []plan.Plan{annual, seats, support, sms}, settings, annual,
		subscribing.NewInput{AddOns: *choose(seats, sms, support)})
	l.mixed = true
	l.until(created)
	l.payAll()
	l.months(2)
	l.until(l.sub().CurrentPeriod.End)
	l.untilPastDue()
	l.requirePaid(annual, support)
}

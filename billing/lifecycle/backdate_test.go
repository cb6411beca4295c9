package lifecycle_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/creditnote"
	"perennial/billing/discount"
	"perennial/billing/foresight"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// backdated returns a life that is created on 31 January at 10:00, and began earlier.
func backdated(t *testing.T, startsAt time.Time, how subscribing.BackdatedBilling, p plan.Plan) *life {
	t.Helper()
	return newLifeOf(t, []plan.Plan{p, pro}, settings, p, subscribing.NewInput{StartsAt: startsAt, Backdated: how})
}

// One invoice bills all past periods and the current one, each as a renewal would have, with the fee. It has one
// payment, and the next invoice is a renewal.
func TestCreate_BackdatedBillsAllPeriods(t *testing.T) {
	t.Parallel()
	fee := plan.Flat("price_setup", "Setup", 500)
	fee.Once = true
	p := team
	p.Prices = append(p.Prices[:1:1], fee)
	start := time.Date(2025, 10, 31, 9, 0, 0, 0, time.UTC)
	l := backdated(t, start, "", p)
	require.Equal(t, created, l.sub().NextActionAt, "it begins when it is created")

	l.until(created)

	require.Equal(t, []money.Minor{4500}, l.totals())
	first := l.store.invoices[0]
	require.Equal(t, invoice.Create, first.Reason)
	require.Equal(t, period.Period{Start: start, End: time.Date(2026, 2, 28, 9, 0, 0, 0, time.UTC)}, first.Period)
	var starts []string
	for _, line := range first.Lines {
		starts = append(starts, line.Period.Start.Format("Jan 2 15:04 ")+strconv.Itoa(line.PeriodIndex))
	}
	require.Equal(t, []string{"Oct 31 09:00 1", "Oct 31 09:00 1", "Nov 30 09:00 2", "Dec 31 09:00 3", "Jan 31 09:00 4"},
		starts, "counted from the start, on the 31st")
	require.Equal(t, time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC), l.sub().CurrentPeriod.Start)
	l.result(answer.Succeeded)
	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, []money.Minor{4500, 1000}, l.totals())
}

// The charge is due at the creation, not at the start: otherwise its first send would be late and wait for a person.
func TestCreate_BackdatedIsNotLate(t *testing.T) {
	t.Parallel()
	l := backdated(t, created.AddDate(0, -3, 0), "", team)

	l.until(created)

	require.Equal(t, created, l.charges()[0].DueAt)
	move := payment.Protocol{}.Next(l.charges()[0], false, created.Add(30*time.Second))
	require.Equal(t, payment.MoveSend, move)
}

// An attempt that ends the collection at once loses no past period: a later payment of the invoice pays for it.
func TestCreate_BackdatedSurvivesTheEndOfCollection(t *testing.T) {
	t.Parallel()
	last := settings
	last.Dunning.Retry.Retries = 0
	l := newLifeOf(t, []plan.Plan{team, pro}, last, team, subscribing.NewInput{StartsAt: created.AddDate(0, -3, 0)})
	l.store.customer.PaymentMethod = ""

	l.until(created)

	require.Equal(t, subscription.PastDue, l.sub().Status)
	require.Equal(t, []money.Minor{4000}, l.totals())
	l.newMethod(true)
	l.pay()
	l.result(answer.Succeeded)
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
}

// A preview shows every past period, and the future.
func TestPreview_Backdated(t *testing.T) {
	t.Parallel()
	daily := flat("plan_daily", period.Interval{Unit: period.Day, Count: 1}, 10)
	l := backdated(t, created.AddDate(0, 0, -subscribing.MaxBackdatedPeriods), "", daily)

	shown, err := foresight.Preview(l.store.load(false), nil, 2, nil, l.moment())

	require.NoError(t, err)
	require.Len(t, shown.Issued, 1)
	require.Len(t, shown.Issued[0].Lines, subscribing.MaxBackdatedPeriods+1)
	require.EqualValues(t, 10*(subscribing.MaxBackdatedPeriods+1), shown.Issued[0].Total)
	l.until(created)
	require.Equal(t, bills(l.store.invoices), bills(shown.Issued))
	require.Equal(t, created, l.sub().CurrentPeriod.Start)
	require.Len(t, shown.Upcoming, 2)
	require.EqualValues(t, 10, shown.Upcoming[0].Total)
}

// A refund covers unused time of the current period, never of a past one; unpaid past periods stay owed.
func TestCreate_BackdatedRefundsTheCurrentPeriod(t *testing.T) {
	t.Parallel()
	for _, paid := range []bool{true, false} {
		l := backdated(t, created.AddDate(0, -1, 0), "", team)
		l.until(created)
		l.result(map[bool]answer.Outcome{true: answer.Succeeded, false: answer.Declined}[paid])
		l.moveTo(created.Add(l.sub().CurrentPeriod.End.Sub(created) / 4))

		l.cancelNow(true)

		if paid {
			require.EqualValues(t, 750, l.refunded())
		} else {
			require.Equal(t, []money.Minor{1250}, l.totals(), "a period and a quarter")
		}
	}
}

// A credit note for a past period does not reduce the refund of the current one.
func TestCreate_BackdatedNoteOfAPassedPeriod(t *testing.T) {
	t.Parallel()
	l := backdated(t, created.AddDate(0, -3, 0), "", team)
	l.until(created)
	l.result(answer.Succeeded)
	bill := l.store.invoices[0]
	require.Len(t, bill.Lines, 4)
	_, err := l.creditInvoice(
		bill, creditnote.Request{Lines: []creditnote.Line{{InvoiceLineID: bill.Lines[0].ID, Amount: 1000}}},
	)
	require.NoError(t, err)
	l.moveTo(created.Add(l.sub().CurrentPeriod.End.Sub(created) / 4))
	l.cancelNow(true)
	require.EqualValues(t, 750, l.refunded())
}

// A coupon counts the past periods, as if each had been billed on time.
func TestCreate_BackdatedCoupon(t *testing.T) {
	t.Parallel()
	coupon := discount.Coupon{
		ID: "coup_1", Code: "TWICE", Active: true,
		Terms: discount.Terms{
			Discount: discount.Discount{Amount: 300}, Currency: "EUR", Duration: discount.Repeating, Periods: 2,
		},
	}
	l := newLifeOf(t, plans, settings, team, subscribing.NewInput{StartsAt: created.AddDate(0, -3, 0), Coupon: &coupon})

	l.until(created)

	require.Equal(t, []money.Minor{3400}, l.totals())
	require.Empty(t, l.sub().Discounts, "its two periods have passed")
}

// Only the current period is billed, in full: as the first one, with one-off prices.
func TestCreate_BackdatedBillsCurrentPeriod(t *testing.T) {
	t.Parallel()
	l := backdated(t, created.AddDate(0, -3, -10), subscribing.BillCurrentPeriod, team)

	l.until(created)

	require.Equal(t, []money.Minor{1000}, l.totals())
	require.Equal(t, invoice.Create, l.store.invoices[0].Reason)
	require.True(t, l.sub().CurrentPeriod.Contains(created))
	require.Equal(t, 1, l.sub().PeriodIndex, "no period before it was opened here")
	l.result(answer.Succeeded)
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, []money.Minor{1000, 1000}, l.totals())
}

func TestCreate_BackdatedRefuses(t *testing.T) {
	t.Parallel()
	daily, days := flat("plan_daily", period.Interval{Unit: period.Day, Count: 1}, 10), 7
	wide := daily
	wide.Prices = nil
	for i := range plan.MaxPrices {
		wide.Prices = append(wide.Prices, plan.Flat(fmt.Sprintf("price_%d", i), "", 1))
	}
	addOn := wide
	addOn.ID, addOn.AddOn = "plan_beside", true
	beside, dear := []subscription.Chosen{{AddOn: addOn}}, flat("plan_dear", month, money.MaxMinor/2)
	for code, c := range map[string]struct {
		plan plan.Plan
		in   subscribing.NewInput
	}{
		"starts_at_out_of_range: `startsAt` must not": {team, subscribing.NewInput{StartsAt: created.Add(time.Second)}},
		"nor more than 730 days ago":                  {team, subscribing.NewInput{StartsAt: created.AddDate(-3, 0, 0)}},
		"37 periods have passed":                      {daily, subscribing.NewInput{StartsAt: created.AddDate(0, 0, -37)}},
		"amount_too_large":                            {dear, subscribing.NewInput{StartsAt: created.AddDate(0, -3, 0)}},
		"with at most 1000 lines": {
			wide, subscribing.NewInput{StartsAt: created.AddDate(0, 0, -36), AddOns: beside},
		},
		"trial_backdated": {team, subscribing.NewInput{StartsAt: created, TrialDays: &days}},
	} {
		c.in.Now, c.in.TimeZone = created, "UTC"
		_, _, err := subscribing.Create(c.plan, c.in)
		require.ErrorContains(t, err, code, code)
	}
	many := subscribing.NewInput{
		StartsAt: created.AddDate(0, 0, -61), Now: created, TimeZone: "UTC", Backdated: subscribing.BillCurrentPeriod,
	}
	_, _, err := subscribing.Create(daily, many)
	require.NoError(t, err, "only one is billed")
}

// The plan's trial lies in the past of a subscription that began before.
func TestCreate_BackdatedHasNoTrial(t *testing.T) {
	t.Parallel()
	p := team
	p.TrialDays = 14
	l := backdated(t, created.AddDate(0, 0, -3), "", p)
	require.Equal(t, subscription.Active, l.sub().Status)
	shown, err := foresight.Preview(l.store.load(false), nil, 1, nil, l.moment())
	require.NoError(t, err)
	require.Len(t, shown.Issued, 1)
}

package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// backdated is a life that is created on 31 January at 10:00, and began earlier.
func backdated(t *testing.T, startsAt time.Time, how subscription.BackdatedBilling, p plan.Plan) *life {
	t.Helper()
	return newLifeOf(t, []plan.Plan{p, pro}, settings, p, subscription.NewInput{StartsAt: startsAt, Backdated: how})
}

// All periods that have passed are billed at once, each on an invoice of its own, with the fee on the first; they are
// collected one after the other.
func TestCreate_BackdatedBillsAllPeriods(t *testing.T) {
	t.Parallel()
	fee := plan.Flat("price_setup", "Setup", 500)
	fee.Once = true
	p := team
	p.Prices = append(p.Prices[:1:1], fee)
	start := time.Date(2025, 10, 31, 9, 0, 0, 0, time.UTC)
	l := backdated(t, start, "", p)

	l.until(created)

	require.Equal(t, []money.Minor{1500, 1000, 1000, 1000}, l.totals())
	require.Equal(t, invoice.Create, l.store.invoices[0].Reason)
	require.Equal(t, start, l.store.invoices[0].Period.Start)
	require.Equal(t, period.Period{
		Start: time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC), End: time.Date(2026, 2, 28, 9, 0, 0, 0, time.UTC),
	}, l.sub().CurrentPeriod, "counted from the start, on the 31st")
	for range 4 {
		l.result(payment.AnswerSucceeded)
	}
	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
	require.Empty(t, l.open())
}

// A long past takes several decisions, and each of them is small.
func TestCreate_BackdatedCatchesUp(t *testing.T) {
	t.Parallel()
	l := backdated(t, created.AddDate(0, 0, -50), "", flat("plan_daily", period.Interval{Unit: period.Day, Count: 1}, 10))
	l.until(created)
	require.Len(t, l.store.invoices, 51)
	require.Equal(t, created, l.sub().CurrentPeriod.Start)
}

// Only the period that runs is billed, in full: as the first one, with what is billed once.
func TestCreate_BackdatedBillsCurrentPeriod(t *testing.T) {
	t.Parallel()
	l := backdated(t, created.AddDate(0, -3, -10), subscription.BillCurrentPeriod, team)

	l.until(created)

	require.Equal(t, []money.Minor{1000}, l.totals())
	require.Equal(t, invoice.Create, l.store.invoices[0].Reason)
	require.True(t, l.sub().CurrentPeriod.Contains(created))
	require.Equal(t, 1, l.sub().PeriodIndex, "no period before it was opened here")
	l.result(payment.AnswerSucceeded)
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, []money.Minor{1000, 1000}, l.totals())
}

func TestCreate_BackdatedRefuses(t *testing.T) {
	t.Parallel()
	daily, days := flat("plan_daily", period.Interval{Unit: period.Day, Count: 1}, 10), 7
	for code, c := range map[string]struct {
		plan plan.Plan
		in   subscription.NewInput
	}{
		"starts_at_out_of_range: `startsAt` must not": {team, subscription.NewInput{StartsAt: created.Add(time.Second)}},
		"nor more than 730 days ago":                  {team, subscription.NewInput{StartsAt: created.AddDate(-3, 0, 0)}},
		"61 periods have passed":                      {daily, subscription.NewInput{StartsAt: created.AddDate(0, 0, -61)}},
		"trial_backdated":                             {team, subscription.NewInput{StartsAt: created, TrialDays: &days}},
	} {
		c.in.Now, c.in.TimeZone = created, "UTC"
		_, _, err := subscription.Create(c.plan, c.in)
		require.ErrorContains(t, err, code)
	}
	many := subscription.NewInput{
		StartsAt: created.AddDate(0, 0, -61), Now: created, TimeZone: "UTC", Backdated: subscription.BillCurrentPeriod,
	}
	_, _, err := subscription.Create(daily, many)
	require.NoError(t, err, "only one is billed")
}

// The plan's trial is the past of one that began before.
func TestCreate_BackdatedHasNoTrial(t *testing.T) {
	t.Parallel()
	p := team
	p.TrialDays = 14
	l := backdated(t, created.AddDate(0, 0, -3), "", p)
	require.Equal(t, subscription.Active, l.sub().Status)
	shown, err := lifecycle.Preview(l.store.load(false), nil, 1, l.moment())
	require.NoError(t, err)
	require.Len(t, shown.Issued, 1)
}

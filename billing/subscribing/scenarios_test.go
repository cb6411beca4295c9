package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/costing"
	"perennial/billing/dunning"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

var (
	free   = plan.Plan{ID: "plan_free", Name: "Free", Currency: "EUR", Interval: month, Active: true, Prices: prices(0)}
	yearly = plan.Plan{
		ID: "plan_year", Name: "Yearly", Currency: "EUR", Interval: period.Interval{Unit: period.Year, Count: 1},
		Active: true, Prices: prices(12000),
	}
	retired = plan.Plan{ID: "plan_old", Name: "Old", Currency: "EUR", Interval: month, Prices: prices(1)}
	dollars = plan.Plan{
		ID: "plan_usd", Name: "Dollars", Currency: "USD", Interval: month, Active: true, Prices: prices(1),
	}
	settings = subscription.Settings{Dunning: dunning.Default(), PastDueBilling: subscription.SkipPastDue}
)

// No period is billed before the first is opened, so a plan change before that changes the future invoice.
func TestChangePlan_BeforeTheFirstPeriodIsOpened(t *testing.T) {
	t.Parallel()
	for _, to := range []plan.Plan{pro, yearly} {
		none := 0
		s, _, err := Create(team, NewInput{
			ID: "sub_1", CustomerID: "cust_1", TrialDays: &none, TimeZone: "UTC", Now: created,
		})
		require.NoError(t, err)

		d, err := With(s, costing.Facts{Plan: team, ItemID: itemID}).ChangePlan(Change{Plan: &to}, created)

		require.NoError(t, err)
		require.Empty(t, d.Issue)
		require.Equal(t, created, d.Subscription.CurrentPeriod.Start)
		require.Equal(t, s.Schedule().Location, d.Subscription.Schedule().Location)
		opened, err := With(d.Subscription, costing.Facts{Plan: to, ItemID: itemID}).OpenPeriod(created)
		require.NoError(t, err)
		total, _ := to.Total(1)
		require.Len(t, opened.Issue, 1)
		require.Equal(t, total, opened.Issue[0].Lines[0].Amount)
		require.Equal(t, opened.Subscription.Schedule().Boundary(1), opened.Subscription.CurrentPeriod.End)
	}
}

func TestUnpaid_TwiceIsOneSpell(t *testing.T) {
	t.Parallel()
	s, _, now := inStatus(subscription.Active)
	first, err := With(s, costing.Facts{}).Unpaid(dunning.PastDue, 4, now)
	require.NoError(t, err)
	require.Equal(t, event.SubscriptionPastDue{Subscription: s.Announced(), FailedPaymentAttempts: 4},
		first.Events[0].Data)

	again, err := With(first.Subscription, costing.Facts{}).Unpaid(dunning.PastDue, 5, now.Add(time.Hour))

	require.NoError(t, err)
	require.Equal(t, Decision{Subscription: first.Subscription}, again)
}

func TestChangePlan_Refuses(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.Active)
	charging := f
	charging.Open = []invoice.Invoice{f.Open[0]}
	charging.Open[0].Collection = collection.State{Phase: collection.Charging, Trigger: collection.Manual}
	for name, c := range map[string]struct {
		facts costing.Facts
		to    plan.Plan
		later bool
		now   time.Time
		want  error
	}{
		"same plan":                   {f, team, false, now, ErrPlanUnchanged},
		"retired plan":                {f, retired, false, now, subscription.ErrPlanInactive},
		"other currency":              {f, dollars, true, now, subscription.CheckCurrency(dollars, "EUR")},
		"while it is paid":            {charging, pro, false, now, ErrPaymentPending},
		"while it is paid, but later": {charging, pro, true, now, nil},
		"after the period's end":      {f, pro, false, s.CurrentPeriod.End, ErrRenewalDue},
		"at its very start":           {f, pro, false, s.CurrentPeriod.Start, nil},
	} {
		d, err := With(s, c.facts).ChangePlan(Change{Plan: &c.to, AtPeriodEnd: c.later}, c.now)
		require.Equal(t, c.want, err, name)
		if err != nil {
			require.Equal(t, Decision{}, d, name)
		}
	}
}

func TestChangePlan_SamePlanDropsPendingChange(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.Active)
	d, err := With(s, f).ChangePlan(Change{Plan: &pro, AtPeriodEnd: true}, now)
	require.NoError(t, err)
	require.Equal(t, pro.ID, d.Subscription.PendingPlanID)
	gone := team
	gone.Active = false // staying sells nothing new, so it is allowed on an archived plan too
	for _, stay := range []plan.Plan{team, gone} {
		returned, err := With(d.Subscription, f).ChangePlan(Change{Plan: &stay}, now)
		require.NoError(t, err)
		require.Equal(t, s, returned.Subscription)
	}
}

func TestPayable_ReturnsOldestInvoice(t *testing.T) {
	t.Parallel()
	s, f, _ := inStatus(subscription.Active)
	f.Open[0].Currency = s.Currency
	f.Open = append(f.Open, invoice.Invoice{ID: "in_2", AmountDue: 7})
	right, wrong := money.Minor(1000), money.Minor(999)

	for _, amount := range []*money.Minor{nil, &right} {
		inv, err := With(s, f).Payable(amount)
		require.NoError(t, err)
		require.Equal(t, "in_1", inv.ID)
	}
	_, err := With(s, f).Payable(&wrong)
	require.Equal(t, "amount_mismatch", fault.From(err).Code)
	require.Equal(t, "amount", fault.From(err).Param)
	require.Contains(t, fault.From(err).Detail, "1000 minor units (10.00 EUR)", "the number to send, and what it means")
	for _, status := range []subscription.Status{subscription.Active, subscription.PastDue, subscription.Canceled} {
		s, _, _ := inStatus(status)
		_, err = With(s, costing.Facts{}).Payable(nil)
		require.Equal(t, ErrNothingOpen, err)
	}
	require.NotContains(t, ErrNothingOpen.Detail, "next period", "a canceled subscription has none")
}

func TestCreate_Refuses(t *testing.T) {
	t.Parallel()
	days := plan.MaxTrialDays + 1
	for code, c := range map[string]struct {
		plan plan.Plan
		in   NewInput
	}{
		"plan_inactive":           {retired, NewInput{TimeZone: "UTC", Now: created}},
		"trial_days_out_of_range": {team, NewInput{TimeZone: "UTC", Now: created, TrialDays: &days}},
		"time_zone_unknown":       {team, NewInput{TimeZone: "Mars/Olympus", Now: created}},
	} {
		_, events, err := Create(c.plan, c.in)
		require.Equal(t, code, fault.From(err).Code)
		require.Empty(t, events)
	}
}

func TestCreate_DefaultsToPlansTrial(t *testing.T) {
	t.Parallel()
	none, week := 0, 7
	p := team
	p.TrialDays = 14
	for _, c := range []struct {
		days   *int
		status subscription.Status
		end    time.Time
	}{
		{nil, subscription.Trialing, created.AddDate(0, 0, 14)},
		{&none, subscription.Active, time.Date(2026, 2, 28, 10, 0, 0, 0, time.UTC)},
		{&week, subscription.Trialing, created.AddDate(0, 0, 7)},
	} {
		s, _, err := Create(p, NewInput{TimeZone: "UTC", TrialDays: c.days, Now: created.Add(999 * time.Millisecond)})
		require.NoError(t, err)
		require.Equal(t, c.status, s.Status)
		require.Equal(t, period.Period{Start: created, End: c.end}, s.CurrentPeriod, "whole seconds")
	}
}

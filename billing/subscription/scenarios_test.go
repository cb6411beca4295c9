package subscription

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/retry"
)

var (
	free     = plan.Plan{ID: "plan_free", Name: "Free", Currency: "EUR", Interval: month, Active: true, Prices: prices(0)}
	yearly   = plan.Plan{ID: "plan_year", Name: "Yearly", Currency: "EUR", Interval: period.Interval{Unit: period.Year, Count: 1}, Active: true, Prices: prices(12000)}
	retired  = plan.Plan{ID: "plan_old", Name: "Old", Currency: "EUR", Interval: month, Prices: prices(1)}
	dollars  = plan.Plan{ID: "plan_usd", Name: "Dollars", Currency: "USD", Interval: month, Active: true, Prices: prices(1)}
	plans    = []plan.Plan{team, pro, free, yearly}
	settings = Settings{Retry: retry.Default(), PastDueBilling: SkipPastDue}
)

// begun is a life on the plan team whose first invoice is being charged.
func begun(t *testing.T, settings Settings) *life {
	l := newLife(t, plans, settings, team, 0)
	l.until(created)
	return l
}

// failToPastDue lets every attempt fail until none is left: seven days.
func (l *life) failToPastDue() {
	for l.s.Status != PastDue {
		l.result(collection.AttemptFailed)
		if l.s.Status != PastDue {
			l.toNext(0)
		}
	}
}

func (l *life) totals() []money.Minor {
	var out []money.Minor
	for _, inv := range l.invoices {
		if inv.Status != invoice.Void {
			out = append(out, inv.Total)
		}
	}
	return out
}

func TestCommandsBeforeTheFirstPeriodIsOpened(t *testing.T) {
	t.Parallel()

	t.Run("a cancellation waits for its end", func(t *testing.T) {
		t.Parallel()
		l := newLife(t, plans, settings, team, 0)
		l.command(cancelAtPeriodEnd, nil)
		action, at := l.s.Next(nil, settings)
		require.Equal(t, ActionBegin, action)
		require.Equal(t, created, at)

		l.until(l.s.CurrentPeriod.End.Add(-1))
		require.Equal(t, Active, l.s.Status)
		require.Equal(t, []money.Minor{1000}, l.totals())
		l.until(l.s.CurrentPeriod.End)
		require.Equal(t, Canceled, l.s.Status)
	})
	t.Run("a change of plan is billed once", func(t *testing.T) {
		t.Parallel()
		for _, to := range []plan.Plan{pro, yearly} {
			l := newLife(t, plans, settings, team, 0)
			l.changePlan(to, false)
			l.until(created)
			total, _ := to.FlatTotal()
			require.Equal(t, []money.Minor{total}, l.totals())
			require.Equal(t, created, l.s.CurrentPeriod.Start)
			require.Equal(t, l.s.schedule().Boundary(1), l.s.CurrentPeriod.End)
		}
	})
	t.Run("a change at the period's end waits for it", func(t *testing.T) {
		t.Parallel()
		l := newLife(t, plans, settings, team, 0)
		l.changePlan(yearly, true)
		l.until(created)
		require.Equal(t, team.ID, l.s.PlanID)
		l.result(collection.AttemptSucceeded)
		l.until(l.s.CurrentPeriod.End)
		require.Equal(t, yearly.ID, l.s.PlanID)
		require.Equal(t, []money.Minor{1000, 12000}, l.totals())
	})
}

func TestATrialIsFreeAndThenBilled(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 14)
	l.changePlan(yearly, false)
	l.changePlan(pro, true)
	require.Empty(t, l.invoices)
	require.Equal(t, Trialing, l.s.Status)
	end := l.s.TrialEndsAt
	require.Equal(t, created.AddDate(0, 0, 14), end)

	l.until(end)

	require.Equal(t, Active, l.s.Status)
	require.Equal(t, period.Period{Start: end, End: time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)}, l.s.CurrentPeriod)
	require.Equal(t, []money.Minor{3000}, l.totals())
	require.Equal(t, invoice.Create, l.invoices[0].Reason)
	require.Zero(t, l.events[event.SubscriptionActive], "not before it is paid")
	l.result(collection.AttemptSucceeded)
	require.Equal(t, 1, l.events[event.SubscriptionActive])
	require.Equal(t, l.s.CurrentPeriod.End, l.s.PaidThrough)
}

func TestAFreePlanIsActivatedAtOnce(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, free, 0)
	l.until(created)
	require.Equal(t, 1, l.events[event.SubscriptionActive])
	require.Equal(t, l.s.CurrentPeriod.End, l.s.PaidThrough)
	require.Empty(t, l.invoices)
}

// Past due from 7 February. Three boundaries pass, then the first invoice is paid on 5 May.
func TestRecovery(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		billing PastDueBilling
		reasons []invoice.Reason
	}{
		{SkipPastDue, []invoice.Reason{invoice.Create, invoice.Recovery}},
		{AccruePastDue, []invoice.Reason{invoice.Create, invoice.Cycle, invoice.Cycle, invoice.Cycle}},
	} {
		settings := settings
		settings.PastDueBilling = c.billing
		l := begun(t, settings)
		l.failToPastDue()
		require.Equal(t, created.AddDate(0, 0, 7), l.s.PastDueAt)
		require.Equal(t, 4, l.find("in_1").Collection.Attempts)
		l.until(time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC))

		l.pay()
		l.result(collection.AttemptSucceeded)

		require.Equal(t, Active, l.s.Status, c.billing)
		require.Zero(t, l.s.PastDueAt)
		var reasons []invoice.Reason
		for _, inv := range l.invoices {
			reasons = append(reasons, inv.Reason)
			require.Equal(t, money.Minor(1000), inv.Total)
		}
		require.Equal(t, c.reasons, reasons, c.billing)
		require.Equal(t, l.s.CurrentPeriod, l.invoices[len(l.invoices)-1].Period)
		require.Equal(t, 30, l.s.CurrentPeriod.Start.Day(), "the anchor is kept: 31 January, so 30 April")
	}
}

func TestUnpaidTwiceIsOneSpell(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()

	d, err := l.s.Unpaid(5, l.now.Add(time.Hour))

	require.NoError(t, err)
	require.Equal(t, Decision{Subscription: l.s}, d)
	first, err := func() (Decision, error) { s, _, now := inStatus(Active); return s.Unpaid(4, now) }()
	require.NoError(t, err)
	require.Equal(t, 4, first.Events[0].Data["failedPaymentAttempts"])
}

func TestPastDueEndsAfterItsDays(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.PastDueCancelAfterDays = 10
	l := begun(t, settings)
	l.failToPastDue()
	end := l.s.PastDueAt.AddDate(0, 0, 10)
	_, err := l.s.ExpirePastDue(settings, end.Add(-1))
	require.Equal(t, ErrPastDueNotEnded, err)
	_, err = l.s.ExpirePastDue(Settings{}, end)
	require.Equal(t, ErrPastDueNotEnded, err, "off by default")

	l.until(end.Add(-1))
	require.Equal(t, PastDue, l.s.Status)
	l.until(end)
	require.Equal(t, Canceled, l.s.Status)
	require.Equal(t, ReasonPastDueExpired, l.s.CancelReason)
}

func TestPlanChangeRefusals(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(Active)
	charging := f
	charging.Open = []invoice.Invoice{f.Open[0]}
	charging.Open[0].Collection = collection.State{Phase: collection.Charging, Trigger: collection.Manual}
	for name, c := range map[string]struct {
		facts Facts
		to    plan.Plan
		later bool
		now   time.Time
		want  error
	}{
		"same plan":                   {f, team, false, now, ErrPlanUnchanged},
		"retired plan":                {f, retired, false, now, ErrPlanInactive},
		"other currency":              {f, dollars, true, now, ErrCurrency},
		"while it is paid":            {charging, pro, false, now, ErrPaymentPending},
		"while it is paid, but later": {charging, pro, true, now, nil},
		"after the period's end":      {f, pro, false, s.CurrentPeriod.End, ErrRenewalDue},
		"at its very start":           {f, pro, false, s.CurrentPeriod.Start, nil},
	} {
		d, err := s.ChangePlan(c.facts, c.to, c.later, c.now)
		require.Equal(t, c.want, err, name)
		if err != nil {
			require.Equal(t, Decision{}, d, name)
		}
	}
}

func TestAChangeReplacesTheOpenInvoice(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(collection.AttemptFailed)
	l.invoices[0].Lines[0].ID = "il_1"
	l.now = created.AddDate(0, 0, 14) // half of the 28 days

	d, err := l.s.ChangePlan(l.facts(), pro, false, l.now)

	require.NoError(t, err)
	require.Equal(t, "in_1", d.Issue[0].Replaces)
	amounts := map[invoice.LineKind]money.Minor{}
	for _, line := range d.Issue[0].Lines {
		require.Empty(t, line.ID, "another invoice's lines are its own")
		amounts[line.Kind] = line.Amount
	}
	require.Equal(t, map[invoice.LineKind]money.Minor{
		invoice.Recurring: 1000, invoice.ProrationCredit: -500, invoice.ProrationCharge: 1500,
	}, amounts)
	require.Equal(t, "il_1", l.invoices[0].Lines[0].ID, "the old lines are copied")
}

// The old plan comes back within the period while the change before is unpaid: what is billed for it is found.
func TestThereAndBackWhileUnpaid(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(collection.AttemptSucceeded)
	l.until(created.AddDate(0, 0, 7))
	l.changePlan(pro, false)
	l.result(collection.AttemptFailed)
	l.until(l.now.Add(time.Hour))
	l.changePlan(team, false)
	l.result(collection.AttemptFailed)
	l.until(l.now.Add(time.Hour))
	l.changePlan(free, false)
	require.LessOrEqual(t, len(l.open()), 1)
	require.LessOrEqual(t, l.balance, money.Minor(1000))
}

func TestAWaitingChangeIsTakenBackByStaying(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(Active)
	d, err := s.ChangePlan(f, pro, true, now)
	require.NoError(t, err)
	require.Equal(t, pro.ID, d.Subscription.PendingPlanID)
	gone := team
	gone.Active = false // staying is nothing new to be sold, so it is open to those on a plan that left the shop too
	for _, stay := range []plan.Plan{team, gone} {
		back, err := d.Subscription.ChangePlan(f, stay, false, now)
		require.NoError(t, err)
		require.Equal(t, s, back.Subscription)
	}
}

func TestPayableNamesTheOldestInvoice(t *testing.T) {
	t.Parallel()
	s, f, _ := inStatus(Active)
	f.Open[0].Currency = s.Currency
	f.Open = append(f.Open, invoice.Invoice{ID: "in_2", AmountDue: 7})
	right, wrong := money.Minor(1000), money.Minor(999)

	for _, amount := range []*money.Minor{nil, &right} {
		inv, err := s.Payable(f, amount)
		require.NoError(t, err)
		require.Equal(t, "in_1", inv.ID)
	}
	_, err := s.Payable(f, &wrong)
	require.Equal(t, "amount_mismatch", fault.From(err).Code)
	require.Equal(t, "amount", fault.From(err).Param)
	require.Contains(t, fault.From(err).Detail, "1000 minor units (10.00 EUR)", "the number to send, and what it means")
	for _, status := range []Status{Active, PastDue, Canceled} {
		s, _, _ := inStatus(status)
		_, err = s.Payable(Facts{}, nil)
		require.Equal(t, ErrNothingOpen, err)
	}
	require.NotContains(t, ErrNothingOpen.Detail, "next period", "a canceled subscription has none")
}

func TestCreateRefuses(t *testing.T) {
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

func TestCreateTakesThePlansTrialUnlessTold(t *testing.T) {
	t.Parallel()
	none, week := 0, 7
	p := team
	p.TrialDays = 14
	for _, c := range []struct {
		days   *int
		status Status
		end    time.Time
	}{
		{nil, Trialing, created.AddDate(0, 0, 14)},
		{&none, Active, time.Date(2026, 2, 28, 10, 0, 0, 0, time.UTC)},
		{&week, Trialing, created.AddDate(0, 0, 7)},
	} {
		s, _, err := Create(p, NewInput{TimeZone: "UTC", TrialDays: c.days, Now: created.Add(999 * time.Millisecond)})
		require.NoError(t, err)
		require.Equal(t, c.status, s.Status)
		require.Equal(t, period.Period{Start: created, End: c.end}, s.CurrentPeriod, "whole seconds")
	}
}

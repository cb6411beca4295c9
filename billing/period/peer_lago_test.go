package period_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/period"
)

// lagoSubscription has the common input of all questions about a subscription of Lago. Its grid is ours, so Schedule
// answers the questions, and only the choice of the period is made here.
type lagoSubscription struct {
	Interval       string
	BillingTime    string `json:"billing_time"`
	Timezone       string
	SubscriptionAt string `json:"subscription_at"`
	StartedAt      string `json:"started_at"`
	PayInAdvance   bool   `json:"pay_in_advance"`
	ChargesMonthly bool   `json:"bill_charges_monthly"`
	FixedMonthly   bool   `json:"bill_fixed_charges_monthly"`
	loc            *time.Location
	started        time.Time
}

// lagoBoundaryInput asks for a bound as Lago names them: whole local days, the last one up to its last second.
type lagoBoundaryInput struct {
	lagoSubscription
	BillingAt     string `json:"billing_at"`
	TerminatedAt  string `json:"terminated_at"`
	Replaced      bool   `json:"replaced_by_next_subscription"` // asksDayOfUpgrade decides about it
	Which         string
	OptionalFrom  string `json:"optional_from_date"`
	CurrentPeriod bool   `json:"current_period"`
	CurrentUsage  bool   `json:"current_usage"`
	billed        time.Time
}

func (in *lagoSubscription) prepare(t *testing.T) {
	t.Helper()
	require.Contains(t, []string{"anniversary", "calendar"}, in.BillingTime)
	in.loc = zone(t, in.Timezone)
	in.started = instant(t, in.SubscriptionAt, in.loc)
	if in.StartedAt != "" {
		in.started = instant(t, in.StartedAt, in.loc)
	}
}

// grid is anchored at local midnight, of the subscription's day or of the calendar.
func (in *lagoSubscription) grid(t *testing.T, monthly bool) period.Schedule {
	t.Helper()
	every := interval(t, in.Interval, 1)
	if monthly {
		every = interval(t, "month", 1)
	}
	s := calendarGrid(in.loc, every)
	if in.BillingTime == "anniversary" {
		s.Anchor = midnight(instant(t, in.SubscriptionAt, in.loc), in.loc)
	}
	return s
}

func midnight(at time.Time, loc *time.Location) time.Time {
	year, month, day := at.In(loc).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, loc)
}

// planPeriod returns the period of the plan's fee: the running period in advance, the last one in arrears, and the
// running one cut short when it ends.
func (in *lagoBoundaryInput) planPeriod(t *testing.T) period.Period {
	t.Helper()
	s := in.grid(t, false)
	n := s.IndexAt(in.billed)
	if !in.PayInAdvance && in.TerminatedAt == "" && !in.CurrentUsage {
		n--
	}
	return s.Period(n)
}

// usagePeriod returns the period of usage, which is always billed in arrears.
func (in *lagoBoundaryInput) usagePeriod(t *testing.T, monthly bool) period.Period {
	t.Helper()
	s := in.grid(t, monthly)
	n := s.IndexAt(in.billed)
	if in.TerminatedAt == "" && !in.CurrentUsage {
		n--
	}
	return s.Period(n)
}

// lastSecond is the inclusive end, or the end of the subscription if that came first.
func (in *lagoBoundaryInput) lastSecond(t *testing.T, p period.Period) time.Time {
	t.Helper()
	end := p.End.Add(-time.Second)
	if in.TerminatedAt != "" {
		if terminated := instant(t, in.TerminatedAt, in.loc); terminated.Before(end) {
			return terminated
		}
	}
	return end
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// days counts calendar days, which may have 23 or 25 hours.
func days(p period.Period, loc *time.Location) int {
	grid := calendarGrid(loc, period.Interval{Unit: period.Day, Count: 1})
	return grid.IndexAt(p.End) - grid.IndexAt(p.Start)
}

type lagoBoundaryResult struct {
	At   *string
	Days *int
}

func checkLagoBoundary(t *testing.T, in lagoBoundaryInput, want lagoBoundaryResult) {
	in.prepare(t)
	if in.BillingAt != "" {
		in.billed = instant(t, in.BillingAt, in.loc)
	}
	if want.Days != nil {
		require.Equal(t, *want.Days, in.askedDays(t))
		return
	}
	require.NotNil(t, want.At)
	requireInstant(t, *want.At, in.askedInstant(t), in.loc)
}

func (in *lagoBoundaryInput) askedDays(t *testing.T) int {
	t.Helper()
	switch in.Which {
	case "charges_days":
		return days(in.usagePeriod(t, in.ChargesMonthly), in.loc)
	case "fixed_charges_days":
		return days(in.usagePeriod(t, in.FixedMonthly), in.loc)
	case "day_price_divisor":
		if in.OptionalFrom != "" {
			s := in.grid(t, false)
			return days(s.Period(s.IndexAt(instant(t, in.OptionalFrom, in.loc))), in.loc)
		}
		return days(in.planPeriod(t), in.loc)
	}
	require.Fail(t, "unknown question", in.Which)
	return 0
}

func (in *lagoBoundaryInput) askedInstant(t *testing.T) time.Time {
	t.Helper()
	switch in.Which {
	case "from":
		return latest(in.planPeriod(t).Start, midnight(in.started, in.loc))
	case "to":
		return in.lastSecond(t, in.planPeriod(t))
	case "charges_from":
		return latest(in.usagePeriod(t, in.ChargesMonthly).Start, in.started)
	case "charges_to":
		return in.lastSecond(t, in.usagePeriod(t, in.ChargesMonthly))
	case "fixed_charges_from":
		return latest(in.usagePeriod(t, in.FixedMonthly).Start, in.started)
	case "fixed_charges_to":
		return in.lastSecond(t, in.usagePeriod(t, in.FixedMonthly))
	case "next_end":
		return after(in.grid(t, false), in.billed).Add(-time.Second)
	case "previous_beginning":
		s := in.grid(t, false)
		n := s.IndexAt(in.billed)
		if !in.CurrentPeriod {
			n--
		}
		return s.Boundary(n)
	}
	require.Fail(t, "unknown question", in.Which)
	return time.Time{}
}

// billingDay returns the boundary on whose day a run falls, if any. A plan whose usage is billed monthly is billed
// monthly.
func (in *lagoSubscription) billingDay(t *testing.T, run string) (n int, due bool) {
	t.Helper()
	s := in.grid(t, in.ChargesMonthly || in.FixedMonthly)
	today := midnight(instant(t, run, in.loc), in.loc)
	n = s.IndexAt(today)
	return n, s.Boundary(n).Equal(today) && n != s.IndexAt(in.started)
}

type lagoDueProbeInput struct {
	lagoSubscription
	RunsBefore []string `json:"runs_before"`
	RunsOnDay  []string `json:"runs_on_billing_day"`
	RunsAfter  []string `json:"runs_after"`
}

type lagoDueProbeResult struct {
	Before int `json:"invoices_before"`
	On     int `json:"invoices_on_billing_day_total"`
	After  int `json:"invoices_after"`
}

func checkLagoDueProbe(t *testing.T, in lagoDueProbeInput, want lagoDueProbeResult) {
	in.prepare(t)
	invoiced := map[int]bool{} // once for a boundary, however often the biller runs
	count := func(runs []string) int {
		before := len(invoiced)
		for _, run := range runs {
			if n, due := in.billingDay(t, run); due {
				invoiced[n] = true
			}
		}
		return len(invoiced) - before
	}
	require.Equal(t, want.Before, count(in.RunsBefore), "before the billing day")
	require.Equal(t, want.On, count(in.RunsOnDay), "on the billing day")
	require.Equal(t, want.After, count(in.RunsAfter), "after the billing day")
}

type lagoBillingDaysInput struct {
	lagoSubscription
	RunAt []string `json:"run_at"`
}

type lagoBillingDaysResult struct {
	Total     int  `json:"invoices_total"`
	OnePerRun bool `json:"one_per_run"`
}

func checkLagoBillingDays(t *testing.T, in lagoBillingDaysInput, want lagoBillingDaysResult) {
	in.prepare(t)
	invoiced := map[int]bool{}
	for _, run := range in.RunAt {
		n, due := in.billingDay(t, run)
		require.True(t, due, run)
		if want.OnePerRun {
			require.NotContains(t, invoiced, n, run)
		}
		invoiced[n] = true
	}
	require.Len(t, invoiced, want.Total)
}

type lagoInvoicesResult struct {
	Runs []struct {
		RunAt       string `json:"run_at"`
		NewInvoices int    `json:"new_invoices"`
		On          string
		From, To    *string
		ChargesFrom *string `json:"charges_from"`
		ChargesTo   *string `json:"charges_to"`
		FixedFrom   *string `json:"fixed_charges_from"`
		FixedTo     *string `json:"fixed_charges_to"`
	}
}

func checkLagoInvoiceBoundaries(t *testing.T, subscription lagoSubscription, want lagoInvoicesResult) {
	in := lagoBoundaryInput{lagoSubscription: subscription}
	in.prepare(t)
	for _, run := range want.Runs {
		if run.On == "" { // the invoice at the start is not one of the grid
			_, due := in.billingDay(t, run.RunAt)
			require.Equal(t, run.NewInvoices > 0, due, run.RunAt)
		}
		in.billed = instant(t, run.RunAt, in.loc)
		for which, at := range map[string]*string{
			"from": run.From, "to": run.To, "charges_from": run.ChargesFrom, "charges_to": run.ChargesTo,
			"fixed_charges_from": run.FixedFrom, "fixed_charges_to": run.FixedTo,
		} {
			if at != nil {
				in.Which = which
				requireInstant(t, *at, in.askedInstant(t), in.loc)
			}
		}
	}
}

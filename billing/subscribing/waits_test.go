package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// A scheduled change is refused before its date.
func TestMakeChange_NotDue(t *testing.T) {
	t.Parallel()
	s, f, now := paidTeam(t)
	_, err := With(s, f).MakeChange(now)
	require.ErrorIs(t, err, ErrChangeNotDue, "there is none")
	s.Scheduled = subscription.ScheduledChanges{{ID: "chg_1", At: now, Quantity: 5}}
	_, err = With(s, f).MakeChange(now.Add(-1))
	require.ErrorIs(t, err, ErrChangeNotDue)
	d, err := With(s, f).MakeChange(now)
	require.NoError(t, err)
	require.Equal(t, int64(5), d.Subscription.Quantity)
}

// ScheduleChange refuses changes that could not be billed one after the other.
func TestScheduleChange_Refuses(t *testing.T) {
	t.Parallel()
	dear := backup()
	dear.ID, dear.AddOn, dear.Prices[0].ID = "plan_dear", false, "price_dear"
	dear.Prices[0].UnitPrice = money.Whole(int64(money.MaxMinor) / 1000)
	weekly := pro
	weekly.ID, weekly.Interval.Unit = "plan_week", period.Week
	for name, c := range map[string]struct {
		change      Change
		code, later string
	}{
		"another plan":           {Change{Plan: &pro}, "", ""},
		"another interval":       {Change{Plan: &weekly}, "add_ons_other_interval", ""},
		"a price of too much":    {Change{Plan: &dear, Quantity: 100}, "amount_too_large", ""},
		"a price of just enough": {Change{Plan: &dear, Quantity: 1}, "", "amount_too_large"},
	} {
		s, f, now := withAddOns(t)
		if c.change.Plan != nil {
			f.Scheduled = []plan.Plan{*c.change.Plan}
		}
		c.change.On = now.Add(time.Hour)
		d, err := With(s, f).ScheduleChange(c.change, "chg_1", now)
		require.Equal(t, c.code, codeOf(err), name)
		if c.code != "" {
			continue
		}
		// A later change is checked against the earlier one's result.
		c.change = Change{Plan: c.change.Plan, Quantity: 100_000, On: now.Add(2 * time.Hour)}
		_, err = With(d.Subscription, f).ScheduleChange(c.change, "chg_2", now)
		require.Equal(t, c.later, codeOf(err), name)
	}
}

// A change within a period that was paid elsewhere has no price here, unless it has no proration.
func TestScheduleChange_PaidElsewhere(t *testing.T) {
	t.Parallel()
	s, f, now := paidTeam(t)
	s.PaidElsewhereIndex, f.Paid = s.PeriodIndex, nil
	f.Scheduled = []plan.Plan{pro}
	end := s.CurrentPeriod.End
	for name, c := range map[string]struct {
		on   time.Time
		how  subscription.ProrationBehavior
		code string
	}{
		"invoiced now":         {end.Add(-time.Hour), subscription.InvoiceNow, "period_paid_elsewhere"},
		"invoiced later":       {end.Add(-time.Hour), subscription.NextInvoice, "period_paid_elsewhere"},
		"not prorated":         {end.Add(-time.Hour), subscription.NoProration, ""},
		"with the next period": {end, subscription.InvoiceNow, ""},
	} {
		_, err := With(s, f).ScheduleChange(Change{Plan: &pro, Proration: c.how, On: c.on}, "chg_1", now)
		require.Equal(t, c.code, codeOf(err), name)
	}
}

// Withdrawing a customer's change keeps a waiting move of an add-on to another version.
func TestWithdrawChange_KeepsMovesOfAddOns(t *testing.T) {
	t.Parallel()
	s, f, now := withAddOns(t)
	v2 := backup()
	v2.Version = 2
	f.AddOns = append(f.AddOns, v2)
	moves := &subscription.AddOns{{Ref: v2.Ref(), Quantity: 3}}
	for name, c := range map[string]struct {
		waits *subscription.AddOns
		left  *subscription.AddOns
		code  string
	}{
		"a move":                      {moves, moves, "migration_scheduled"},
		"a move and another quantity": {&subscription.AddOns{{Ref: v2.Ref(), Quantity: 5}}, moves, ""},
		"another quantity":            {&subscription.AddOns{{Ref: backup().Ref(), Quantity: 5}}, nil, ""},
		"no add-ons":                  {&subscription.AddOns{}, nil, ""},
		"nothing":                     {nil, nil, "scheduled_change_not_found"},
	} {
		one := s
		one.PendingAddOns = c.waits
		d, err := With(one, f).WithdrawChange(subscription.AtPeriodEnd, now)
		require.Equal(t, c.code, codeOf(err), name)
		if err == nil {
			require.Equal(t, c.left, d.Subscription.PendingAddOns, name)
		}
	}
	one := s
	one.PendingAddOns, one.PendingQuantity = moves, 5
	d, err := With(one, f).WithdrawChange(subscription.AtPeriodEnd, now)
	require.NoError(t, err)
	require.Zero(t, d.Subscription.PendingQuantity)
	require.Equal(t, moves, d.Subscription.PendingAddOns)
}

// An add-on moves to another version now, or at the end of the period if the subscription still has it then.
func TestMigrateAddOn(t *testing.T) {
	t.Parallel()
	v2, other := backup(), flatAddOn("other", 100)
	v2.Version, v2.Prices = 2, []plan.Price{plan.Flat("price_backup_2", "", 900)}
	leaves := func(s *subscription.Subscription) { s.PendingAddOns = &subscription.AddOns{} }
	ends := func(s *subscription.Subscription) { s.CancelAtPeriodEnd = true }
	waits := func(s *subscription.Subscription) {
		s.PendingAddOns = &subscription.AddOns{{Ref: v2.Ref(), Quantity: 3}}
	}
	nothing := func(*subscription.Subscription) {}
	for name, c := range map[string]struct {
		given    func(*subscription.Subscription)
		to       plan.Plan
		atEnd    bool
		code     string
		fields   []string
		version  int // after it
		invoiced bool
	}{
		"now":                        {nothing, v2, false, "", []string{"addOns"}, 2, true},
		"at the end":                 {nothing, v2, true, "", []string{"pendingAddOns"}, 1, false},
		"now, and it leaves":         {leaves, v2, false, "", []string{"addOns"}, 2, true},
		"at the end, and it leaves":  {leaves, v2, true, "plan_change_scheduled", nil, 0, false},
		"now, and all ends":          {ends, v2, false, "", []string{"addOns"}, 2, true},
		"at the end, and all ends":   {ends, v2, true, "plan_change_scheduled", nil, 0, false},
		"now, where it waits":        {waits, v2, false, "", []string{"addOns"}, 2, true},
		"at the end, where it waits": {waits, v2, true, "plan_version_unchanged", nil, 0, false},
		"the version that it has":    {nothing, backup(), false, "plan_version_unchanged", nil, 0, false},
		"to stay on it":              {waits, backup(), false, "", []string{"pendingAddOns"}, 1, false},
		"to stay on it, at the end":  {waits, backup(), true, "", []string{"pendingAddOns"}, 1, false},
		"one that it does not have":  {nothing, other, false, "subscription_not_on_plan", nil, 0, false},
	} {
		s, f, now := withAddOns(t)
		f.AddOns = append(f.AddOns, v2)
		c.given(&s)
		d, err := With(s, f).MigrateAddOn(Migration{To: c.to, AtPeriodEnd: c.atEnd}, now)
		require.Equal(t, c.code, codeOf(err), name)
		if err != nil {
			continue
		}
		require.Equal(t, c.fields, fieldsOf(d), name)
		require.Equal(t, c.version, d.Subscription.AddOns[0].Version, name)
		require.Equal(t, c.invoiced, len(d.Issue) > 0, name)
		if c.to.Version == 1 {
			require.Nil(t, d.Subscription.PendingAddOns, name)
		}
	}
}

// A pause credits the unused time together with waiting prorations. If these do not exceed the credit, one invoice has
// both; otherwise nothing is charged in the pause.
func TestPause_BesideLinesThatWait(t *testing.T) {
	t.Parallel()
	for waiting, invoiced := range map[money.Minor]bool{0: true, 499: true, 500: true, 501: false} {
		s, f, now := paidTeam(t)
		if waiting > 0 {
			s.PendingLines = []invoice.Line{{
				ID: "il_9", Kind: invoice.ProrationCharge, Amount: waiting, PeriodIndex: 1, ItemID: "si_other",
				Period: period.Period{Start: now, End: s.CurrentPeriod.End},
			}}
		}
		d, err := With(s, f).Pause(Pausing{CreditUnused: true}, now)
		require.NoError(t, err)
		require.Equal(t, invoiced, len(d.Issue) == 1, "%d", waiting)
		require.Equal(t, invoiced, len(d.Subscription.PendingLines) == 0, "%d", waiting)
		if invoiced {
			sums, err := d.Issue[0].Sums()
			require.NoError(t, err)
			require.Equal(t, waiting-500, sums.Total)
		}
	}
}

// A subscription that began in the past is billed from its start on; with current_period, only from the current period
// on.
func TestCreate_BackdatedPeriods(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 16, 0, 0, 0, 0, time.UTC)
	begin := func(in NewInput, p plan.Plan) (subscription.Subscription, error) {
		in.TimeZone, in.Now = "UTC", now
		s, _, err := Create(p, in)
		return s, err
	}
	long, recent := now.AddDate(0, -2, -3), now.AddDate(0, 0, -3)
	for name, c := range map[string]struct {
		in   NewInput
		want time.Time
	}{
		"all":             {NewInput{StartsAt: long}, long},
		"the current one": {NewInput{StartsAt: long, Backdated: BillCurrentPeriod}, recent},
		"the first one":   {NewInput{StartsAt: recent, Backdated: BillCurrentPeriod}, recent},
		"a short one, before its anchor": {
			NewInput{StartsAt: recent, Backdated: BillCurrentPeriod, Anchor: now.AddDate(0, 0, 5)}, recent,
		},
	} {
		s, err := begin(c.in, team)
		require.NoError(t, err, name)
		require.Equal(t, c.want, s.CurrentPeriod.Start, name)
	}

	// One invoice has at most 1000 lines: 25 weeks of 40 prices.
	weekly, addOn := team, flatAddOn("sla", 1)
	weekly.Interval = period.Interval{Unit: period.Week, Count: 1}
	addOn.Interval = weekly.Interval
	weekly.Prices = prices(make([]money.Minor, 20)...)
	addOn.Prices = prices(make([]money.Minor, 20)...)
	for weeks, code := range map[int]string{24: "", 25: "starts_at_out_of_range"} {
		in := NewInput{StartsAt: now.AddDate(0, 0, -7*weeks), AddOns: []subscription.Chosen{{AddOn: addOn}}}
		_, err := begin(in, weekly)
		require.Equal(t, code, codeOf(err), "%d weeks", weeks)
	}
}

// The event names the discounts whenever the periods of a coupon change.
func TestGiveAgain_SaysWhatChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		terms   discount.Terms
		periods []int
		changed bool
	}{
		"a later period instead":            {off(25, discount.Repeating, 3), []int{3}, true},
		"one more, of what ended before":    {off(25, discount.Repeating, 3), []int{1}, true},
		"the current one is given later":    {off(25, discount.Repeating, 3), []int{4}, true},
		"it has no end, so nothing changes": {off(25, discount.Forever, 0), []int{3}, false},
	} {
		s, f, now := paidTeam(t)
		s.PeriodIndex = 4
		s.Discounts = subscription.Discounts{{CouponID: "coup_1", Terms: c.terms, From: 3, Began: 3}}
		was := s.Discounts[0]
		d := With(s, f).GiveAgain([]subscription.Ungiven{{CouponID: "coup_1", Periods: c.periods}}, now)
		require.Equal(t, c.changed, len(d.Events) == 1, name)
		if c.changed {
			require.NotEqual(t, was, d.Subscription.Discounts[0], name)
		} else {
			require.Equal(t, was, d.Subscription.Discounts[0], name)
		}
		require.Equal(t, was, s.Discounts[0], name)
	}
}

package subscribing

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
)

// backup is an add-on of 2.00 for each unit.
func backup() plan.Plan {
	return plan.Plan{
		ID: "plan_backup", Version: 1, Name: "Backup", Currency: "EUR", Interval: month, AddOn: true, Active: true,
		Prices: []plan.Price{{ID: "price_backup", Price: rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(2)}}},
	}
}

func flatAddOn(id string, amount money.Minor) plan.Plan {
	return plan.Plan{
		ID: id, Version: 1, Name: id, Currency: "EUR", Interval: month, AddOn: true, Active: true,
		Prices: []plan.Price{plan.Flat("price_"+id, "", amount)},
	}
}

// withAddOns returns an active subscription to team, 10.00 a month, whose first period is paid, with 3 backups.
func withAddOns(t *testing.T) (subscription.Subscription, costing.Facts, time.Time) {
	t.Helper()
	s, f, _ := inStatus(subscription.Active)
	s.AddOns, f.AddOns = subscription.AddOns{{Ref: backup().Ref(), Quantity: 3}}, []plan.Plan{backup()}
	s.Items = nil
	s = With(s, f).Itemized()
	lines, err := With(s, f).WholePeriod(s.Items, f.Plan)
	require.NoError(t, err)
	for i := range lines {
		lines[i].ID = "il_" + lines[i].PriceID
	}
	paid := f.Open[0]
	paid.Status, paid.Lines, paid.Total, paid.AmountDue, paid.AmountPaid = invoice.Paid, lines, 1600, 1600, 1600
	f.Open, f.Paid = nil, []invoice.Invoice{paid}
	return s, f, s.CurrentPeriod.Start
}

func TestSell_Refusals(t *testing.T) {
	t.Parallel()
	weekly, dollars := backup(), backup()
	weekly.Interval, dollars.Currency = period.Interval{Unit: period.Week, Count: 1}, "USD"
	many := make([]subscription.Chosen, subscription.MaxAddOns+1)
	for name, c := range map[string]struct {
		chosen      []subscription.Chosen
		code, param string
	}{
		"a plan":           {[]subscription.Chosen{{AddOn: backup()}, {AddOn: team}}, "plan_not_add_on", "addOns[1].planId"},
		"another interval": {[]subscription.Chosen{{AddOn: weekly}}, "add_on_interval_mismatch", "addOns[0].planId"},
		"another currency": {[]subscription.Chosen{{AddOn: dollars}}, "currency_mismatch", "addOns[0].planId"},
		"twice": {
			[]subscription.Chosen{{AddOn: backup()}, {AddOn: backup(), Quantity: 2}}, "add_on_repeated", "addOns[1].planId",
		},
		"below one": {[]subscription.Chosen{{AddOn: backup(), Quantity: -1}}, "quantity_out_of_range", "addOns[0].quantity"},
		"too many":  {many, "add_ons_too_many", "addOns"},
	} {
		_, err := subscription.Sell(c.chosen, team)

		f := fault.From(err)
		require.Equal(t, [3]any{c.code, c.param, fault.Invalid}, [3]any{f.Code, f.Param, f.Kind}, name)
	}
}

func TestCreate_AddOns(t *testing.T) {
	t.Parallel()
	archived, huge := backup(), flatAddOn("huge", money.MaxMinor)
	archived.Active = false
	for name, c := range map[string]struct {
		plan   plan.Plan
		chosen []subscription.Chosen
		code   string
	}{
		"an add-on by itself": {backup(), nil, "plan_is_add_on"},
		"archived":            {team, []subscription.Chosen{{AddOn: archived}}, "plan_inactive"},
		"together too much":   {team, []subscription.Chosen{{AddOn: huge}}, "amount_too_large"},
	} {
		_, _, err := Create(c.plan, NewInput{TimeZone: "UTC", AddOns: c.chosen})
		require.Equal(t, c.code, fault.From(err).Code, name)
	}
	s, _, err := Create(team, NewInput{TimeZone: "UTC", AddOns: []subscription.Chosen{{AddOn: backup()}}})
	require.NoError(t, err)
	require.Equal(t, subscription.AddOns{{Ref: backup().Ref(), Quantity: 1}}, s.AddOns)
}

// Half of the period remains. Unchanged items keep their lines.
func TestChangePlan_AddOns(t *testing.T) {
	t.Parallel()
	sla := flatAddOn("sla", 500)
	for name, c := range map[string]struct {
		wanted []subscription.Chosen
		lines  map[string]money.Minor // of the change, by what they bill
	}{
		"another unit": {[]subscription.Chosen{{AddOn: backup(), Quantity: 4}},
			map[string]money.Minor{"price_backup": 100}},
		"removed": {nil, map[string]money.Minor{"price_backup": -300}},
		"one more": {[]subscription.Chosen{{AddOn: backup(), Quantity: 3}, {AddOn: sla}},
			map[string]money.Minor{"price_sla": 250}},
		"another instead": {[]subscription.Chosen{{AddOn: sla}},
			map[string]money.Minor{"price_backup": -300, "price_sla": 250}},
	} {
		s, f, start := withAddOns(t)
		half := start.Add(s.CurrentPeriod.End.Sub(start) / 2)
		f.AddOns = append(f.AddOns, sla)

		d, err := With(s, f).ChangePlan(Change{AddOns: &c.wanted}, half)

		require.NoError(t, err, name)
		require.Len(t, d.Issue, 1, name)
		got := map[string]money.Minor{}
		for _, l := range d.Issue[0].Lines {
			got[l.PriceID] += l.Amount
			of := slices.IndexFunc(append(f.AddOns, f.Plan), func(p plan.Plan) bool { return p.ID == l.PlanID })
			require.GreaterOrEqual(t, of, 0, name)
			_, err := append(f.AddOns, f.Plan)[of].Cost(l.PriceID, 1)
			require.NoError(t, err, name)
			if l.Kind == invoice.ProrationCredit {
				require.Equal(t, "il_"+l.PriceID, l.Reverses, "its own line")
			}
		}
		require.Equal(t, c.lines, got, name)
		require.Len(t, d.Subscription.Items, 1+len(c.wanted), name)
	}
}

func TestChangePlan_AddOnsAndIntervals(t *testing.T) {
	t.Parallel()
	s, f, now := withAddOns(t)
	weekly, ofWeek, none := team, backup(), []subscription.Chosen{}
	weekly.ID, weekly.Interval = "plan_week", period.Interval{Unit: period.Week, Count: 1}
	ofWeek.ID, ofWeek.Interval = "plan_backup_week", weekly.Interval
	wanted := []subscription.Chosen{{AddOn: ofWeek, Quantity: 3}}
	f.AddOns = append(f.AddOns, ofWeek)

	for _, atPeriodEnd := range []bool{false, true} {
		_, err := With(s, f).ChangePlan(Change{Plan: &weekly, AtPeriodEnd: atPeriodEnd}, now)
		require.ErrorIs(t, err, subscription.ErrAddOnsStay)
		_, err = With(s, f).ChangePlan(Change{AddOns: &wanted, AtPeriodEnd: atPeriodEnd}, now)
		require.ErrorIs(t, err, subscription.ErrAddOnInterval)
		for _, with := range []*[]subscription.Chosen{&wanted, &none} {
			d, err := With(s, f).ChangePlan(Change{Plan: &weekly, AddOns: with, AtPeriodEnd: atPeriodEnd}, now)
			require.NoError(t, err)
			require.Len(t, d.Subscription.NextAddOns(), len(*with))
		}
	}
	proposal, err := With(s, f).ChangePlan(Change{Plan: &weekly, AddOns: &wanted, AtPeriodEnd: true}, now)
	require.NoError(t, err)
	f.Pending = &weekly
	_, err = With(proposal.Subscription, f).ChangePlan(Change{Plan: &team}, now)
	require.ErrorIs(t, err, subscription.ErrAddOnsStay, "the plan alone cannot be taken back")

	renewed, err := With(proposal.Subscription, f).OpenPeriod(s.CurrentPeriod.End)
	require.NoError(t, err)
	require.Equal(t, subscription.AddOns{{Ref: ofWeek.Ref(), Quantity: 3}}, renewed.Subscription.AddOns)
	require.Nil(t, renewed.Subscription.PendingAddOns)
	require.Len(t, renewed.Issue[0].Lines, 2)
}

func TestChangePlan_SameAddOns(t *testing.T) {
	t.Parallel()
	s, f, now := withAddOns(t)
	wanted := []subscription.Chosen{{AddOn: backup(), Quantity: 3}}
	wanted[0].AddOn.Version, wanted[0].AddOn.Active = 2, false // present add-ons keep their version, also an archived one

	_, err := With(s, f).ChangePlan(Change{AddOns: &wanted}, now)
	require.ErrorIs(t, err, subscription.ErrAddOnsUnchanged)

	s.PendingAddOns = &subscription.AddOns{}
	for _, atPeriodEnd := range []bool{false, true} {
		d, err := With(s, f).ChangePlan(Change{AddOns: &wanted, AtPeriodEnd: atPeriodEnd}, now)
		require.NoError(t, err, "it takes back what waited")
		require.Nil(t, d.Subscription.PendingAddOns)
		require.Empty(t, d.Issue)
	}
}

func TestChangePlan_AddOnsInTrial(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.Trialing)
	f.AddOns = []plan.Plan{backup()}

	d, err := With(s, f).ChangePlan(Change{AddOns: &[]subscription.Chosen{{AddOn: backup(), Quantity: 2}}}, now)

	require.NoError(t, err)
	require.Empty(t, d.Issue)
	require.Equal(t, subscription.AddOns{{Ref: backup().Ref(), Quantity: 2}}, d.Subscription.AddOns)
	require.Len(t, d.Subscription.Items, 2)
}

func TestStaysOn_AddOn(t *testing.T) {
	t.Parallel()
	s, _, _ := withAddOns(t)
	newer := plan.Ref{ID: "plan_backup", Version: 2}

	require.True(t, s.StaysOn(backup().Ref()))
	require.False(t, s.StaysOn(newer))
	s.PendingAddOns = &subscription.AddOns{{Ref: newer, Quantity: 3}}
	require.False(t, s.StaysOn(backup().Ref()), "it waits for another version")
	require.ErrorIs(t, s.NotAhead(backup().Ref()), subscription.ErrSuperseded)
	require.NoError(t, s.NotAhead(newer))
}

// A waiting move to another version survives changes of other add-ons, now and later.
func TestChangePlan_KeepsMovesOfAddOns(t *testing.T) {
	t.Parallel()
	s, f, start := withAddOns(t)
	v2, other := backup(), flatAddOn("plan_other", 100)
	v2.Version = 2
	f.AddOns = append(f.AddOns, v2, other)
	moving, err := With(s, f).MigrateAddOn(Migration{To: v2, AtPeriodEnd: true}, start.Add(time.Hour))
	require.NoError(t, err)
	for _, atEnd := range []bool{false, true} {
		wanted := []subscription.Chosen{{AddOn: backup(), Quantity: 5}, {AddOn: other}}
		d, err := With(moving.Subscription, f).ChangePlan(Change{AddOns: &wanted, AtPeriodEnd: atEnd}, start.Add(2*time.Hour))
		require.NoError(t, err)
		require.Equal(t, subscription.AddOns{{Ref: v2.Ref(), Quantity: 5}, {Ref: other.Ref(), Quantity: 1}},
			d.Subscription.NextAddOns())
		if !atEnd {
			require.Equal(t, subscription.AddOns{{Ref: backup().Ref(), Quantity: 5}, {Ref: other.Ref(), Quantity: 1}},
				d.Subscription.AddOns)
		}
	}
}

// Removing all add-ons at a date differs from no change of add-ons, also in the database.
func TestScheduledChange_NoAddOnsOutlastTheDatabase(t *testing.T) {
	t.Parallel()
	s, f, start := withAddOns(t)
	d, err := With(s, f).ScheduleChange(Change{AddOns: &[]subscription.Chosen{}, On: start.Add(2 * time.Hour)},
		"chg_1", start.Add(time.Hour))
	require.NoError(t, err)
	stored, err := json.Marshal(d.Subscription.Scheduled)
	require.NoError(t, err)
	s = d.Subscription
	s.Scheduled = nil
	require.NoError(t, json.Unmarshal(stored, &s.Scheduled))
	made, err := With(s, f).MakeChange(start.Add(2 * time.Hour))
	require.NoError(t, err)
	require.Empty(t, made.Subscription.AddOns)
	require.Len(t, made.Issue, 1, "their unused time is credited")
}

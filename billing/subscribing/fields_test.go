package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// fieldsOf returns the changed fields that a decision's events name.
func fieldsOf(d Decision) (fields []string) {
	for _, e := range d.Events {
		if updated, ok := e.Data.(event.SubscriptionUpdated); ok {
			fields = append(fields, updated.Changed...)
		}
	}
	return fields
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

// An event names exactly the changed fields.
func TestChangePlan_NamesWhatChanged(t *testing.T) {
	t.Parallel()
	perSeat := backup()
	perSeat.ID, perSeat.AddOn = "plan_seats", false
	newer := team
	newer.Version, newer.Prices = 2, prices(1100)
	more := []subscription.Chosen{{AddOn: backup(), Quantity: 3}, {AddOn: flatAddOn("sla", 500)}}
	for name, c := range map[string]struct {
		change Change
		want   []string
	}{
		"the plan":              {Change{Plan: &pro}, []string{"planId"}},
		"the quantity":          {Change{Quantity: 5}, []string{"quantity"}},
		"the plan and quantity": {Change{Plan: &perSeat, Quantity: 5}, []string{"planId", "quantity"}},
		"the add-ons":           {Change{AddOns: &more}, []string{"addOns"}},
		"quantity and add-ons":  {Change{Quantity: 5, AddOns: &more}, []string{"quantity", "addOns"}},
		"the quantity, later":   {Change{Quantity: 5, AtPeriodEnd: true}, []string{"pendingQuantity"}},
		"the plan, later":       {Change{Plan: &pro, AtPeriodEnd: true}, []string{"pendingPlanId"}},
		"both of them, later": {
			Change{Plan: &pro, Quantity: 5, AtPeriodEnd: true}, []string{"pendingPlanId", "pendingQuantity"},
		},
		"the add-ons, later":       {Change{AddOns: &more, AtPeriodEnd: true}, []string{"pendingAddOns"}},
		"the quantity that it has": {Change{Quantity: 1, AddOns: &more}, []string{"addOns"}},
	} {
		s, f, now := withAddOns(t)
		f.AddOns = append(f.AddOns, flatAddOn("sla", 500))
		d, err := With(s, f).ChangePlan(c.change, now)
		require.NoError(t, err, name)
		require.Equal(t, c.want, fieldsOf(d), name)
	}
	s, f, now := withAddOns(t)
	d, err := With(s, f).Migrate(Migration{To: newer}, now)
	require.NoError(t, err)
	require.Equal(t, []string{"planVersion"}, fieldsOf(d))

	waits, err := With(s, f).ChangePlan(Change{Quantity: 5, AtPeriodEnd: true}, now)
	require.NoError(t, err)
	again, err := With(waits.Subscription, f).ChangePlan(Change{Quantity: 5, AtPeriodEnd: true}, now)
	require.NoError(t, err)
	require.Equal(t, []string{"pendingQuantity"}, fieldsOf(again), "it is asked for again")
	back, err := With(waits.Subscription, f).ChangePlan(Change{Quantity: 1, AtPeriodEnd: true}, now)
	require.NoError(t, err)
	require.Equal(t, []string{"pendingQuantity"}, fieldsOf(back), "it is taken back")
	require.Zero(t, back.Subscription.PendingQuantity)
}

// A change with a quantity and add-ons applies both, and validates both.
func TestChangePlan_QuantityAndAddOns(t *testing.T) {
	t.Parallel()
	s, f, now := withAddOns(t)
	same := []subscription.Chosen{{AddOn: backup(), Quantity: 3}}
	more := []subscription.Chosen{{AddOn: backup(), Quantity: 4}}
	weekly := backup()
	weekly.ID, weekly.Interval.Unit = "plan_backup_week", "week"
	wrong := []subscription.Chosen{{AddOn: weekly}}
	d, err := With(s, f).ChangePlan(Change{Quantity: 5, AddOns: &more}, now)
	require.NoError(t, err)
	require.Equal(t, int64(5), d.Subscription.Quantity)
	require.Equal(t, int64(4), d.Subscription.AddOns[0].Quantity)
	for name, c := range map[string]struct {
		change Change
		code   string
	}{
		"the quantity that it has":  {Change{Quantity: 1}, "quantity_unchanged"},
		"and the add-ons":           {Change{Quantity: 1, AddOns: &same}, "quantity_unchanged"},
		"the add-ons that it has":   {Change{AddOns: &same}, "add_ons_unchanged"},
		"no quantity":               {Change{Quantity: -1}, "quantity_out_of_range"},
		"no quantity, with add-ons": {Change{Quantity: -1, AddOns: &more}, "quantity_out_of_range"},
		"a quantity, wrong add-ons": {Change{Quantity: 5, AddOns: &wrong}, "add_on_interval_mismatch"},
	} {
		_, err := With(s, f).ChangePlan(c.change, now)
		require.Equal(t, c.code, codeOf(err), name)
	}
}

// A change at the end of the period takes effect there, also together with another one.
func TestOpenPeriod_WhatWaitedTakesEffect(t *testing.T) {
	t.Parallel()
	s, f, _ := withAddOns(t)
	for name, c := range map[string]struct {
		change   func(*subscription.Subscription)
		quantity int64
		addOns   int
	}{
		"nothing":    {func(*subscription.Subscription) {}, 1, 1},
		"a quantity": {func(s *subscription.Subscription) { s.PendingQuantity = 5 }, 5, 1},
		"no add-ons": {func(s *subscription.Subscription) { s.PendingAddOns = &subscription.AddOns{} }, 1, 0},
		"both": {func(s *subscription.Subscription) {
			s.PendingQuantity, s.PendingAddOns = 5, &subscription.AddOns{}
		}, 5, 0},
	} {
		one := s
		c.change(&one)
		d, err := With(one, f).OpenPeriod(s.CurrentPeriod.End)
		require.NoError(t, err, name)
		require.Equal(t, c.quantity, d.Subscription.Quantity, name)
		require.Len(t, d.Subscription.AddOns, c.addOns, name)
		require.Len(t, d.Subscription.Items, 1+c.addOns, name)
		require.Zero(t, d.Subscription.PendingQuantity, name)
		require.Nil(t, d.Subscription.PendingAddOns, name)
	}
}

func TestSetTerms(t *testing.T) {
	t.Parallel()
	sent, charged := terms.Send, terms.Charge
	days, more, wrong := 14, 30, -1
	of := func(m terms.Method, days int) terms.Terms { return terms.Terms{Method: m, NetDays: days} }
	for name, c := range map[string]struct {
		has    terms.Terms
		method *terms.Method
		days   *int
		want   terms.Terms
		fields []string
		code   string
	}{
		"nothing":             {of(sent, 14), nil, nil, of(sent, 14), nil, ""},
		"as they are":         {of(sent, 14), &sent, &days, of(sent, 14), nil, ""},
		"to be sent":          {of(charged, 0), &sent, &days, of(sent, 14), []string{"collectionMethod", "netDays"}, ""},
		"to be sent, at once": {of(charged, 0), &sent, nil, of(sent, 0), []string{"collectionMethod"}, ""},
		"more days":           {of(sent, 14), nil, &more, of(sent, 30), []string{"netDays"}, ""},
		"to be charged":       {of(sent, 14), &charged, nil, of(charged, 0), []string{"collectionMethod", "netDays"}, ""},
		"a past day":          {of(sent, 14), nil, &wrong, of(sent, 14), nil, "net_days_out_of_range"},
		"days of a charge":    {of(charged, 0), nil, &days, of(charged, 0), nil, "net_days_without_send"},
	} {
		s, _, now := inStatus(subscription.Active)
		s.Terms = c.has
		d, err := With(s, costing.Facts{}).SetTerms(c.method, c.days, now)
		require.Equal(t, c.code, codeOf(err), name)
		if err == nil {
			require.Equal(t, c.want, d.Subscription.Terms, name)
		}
		require.Equal(t, c.fields, fieldsOf(d), name)
	}
	canceled, _, now := inStatus(subscription.Canceled)
	_, err := With(canceled, costing.Facts{}).SetTerms(&sent, nil, now)
	require.ErrorIs(t, err, ErrCanceled)
}

// A free plan needs no payment: the subscription is paid through the period that a change begins, unless it is past
// due. A plan that costs something is paid by its invoice, also where the change credits as much.
func TestChangePlan_PaidThroughAFreePeriod(t *testing.T) {
	t.Parallel()
	freeYear := free
	freeYear.ID, freeYear.Interval = "plan_free_year", yearly.Interval
	freeYear.Prices = []plan.Price{plan.Flat("price_free_year", "", 0)}
	for name, c := range map[string]struct {
		status   subscription.Status
		from, to plan.Plan
		through  bool
	}{
		"free to free":           {subscription.Active, free, freeYear, true},
		"free to free, past due": {subscription.PastDue, free, freeYear, false},
		"free to paid":           {subscription.Active, free, yearly, false},
		"paid to free":           {subscription.Active, team, freeYear, false},
		"paid to paid":           {subscription.Active, team, yearly, false},
	} {
		s, f, now := paidTeam(t)
		s.Status = c.status
		if c.from.ID == free.ID {
			f.Plan, f.Paid = free, nil
			s.PlanID = free.ID
			s = With(s, f).Itemized()
		}
		d, err := With(s, f).ChangePlan(Change{Plan: &c.to}, now)
		require.NoError(t, err, name)
		require.Equal(t, now, d.Subscription.CurrentPeriod.Start, name)
		require.Equal(t, c.through, d.Subscription.PaidThrough.Equal(d.Subscription.CurrentPeriod.End), name)
	}
}

// A due renewal delays a change by some seconds.
func TestChangePlan_RenewalDueSaysWhen(t *testing.T) {
	t.Parallel()
	s, f, _ := paidTeam(t)
	_, err := With(s, f).ChangePlan(Change{Plan: &pro}, s.CurrentPeriod.End)
	require.ErrorIs(t, err, ErrRenewalDue)
	require.Equal(t, 5*time.Second, fault.From(err).RetryAfter)
}

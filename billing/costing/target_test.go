package costing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
)

func amountOff(amount money.Minor) discount.Terms {
	return discount.Terms{Discount: discount.Discount{Amount: amount}, Currency: "EUR", Duration: discount.Forever}
}

func flat(id string, amount money.Minor) plan.Plan {
	return priced(id, rating.Price{Model: rating.Flat, Amount: amount}, "EUR")
}

// withFee is a plan with a fee on the first invoice.
func withFee(p plan.Plan, fee money.Minor) plan.Plan {
	once := plan.Flat("price_fee", "setup", fee)
	once.Once = true
	p.Prices = append(p.Prices, once)
	return p
}

func seat(id string, amount int64) plan.Plan {
	return priced(id, rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(amount)}, "EUR")
}

const tooLarge = "amount_too_large"

func code(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

func TestFirstCost(t *testing.T) {
	t.Parallel()
	const most = money.MaxMinor
	f := Facts{AddOns: []plan.Plan{seat("small", 3), flat("large", most), seat("huge", int64(most))}}
	one := func(id string, quantity int64) subscription.AddOn {
		return subscription.AddOn{Ref: plan.Ref{ID: "plan_" + id, Version: 1}, Quantity: quantity}
	}
	for name, c := range map[string]struct {
		of   Target
		want money.Minor
		code string
	}{
		"a plan, its fee and add-ons": {
			Target{withFee(seat("a", 10), 200), 2, subscription.AddOns{one("small", 2), one("small", 1)}}, 3100, "",
		},
		"without add-ons":       {Target{flat("a", 1000), 1, nil}, 1000, ""},
		"as much as may be":     {Target{flat("a", most), 1, nil}, most, ""},
		"too much together":     {Target{flat("a", 1), 1, subscription.AddOns{one("large", 1)}}, 0, tooLarge},
		"a plan of too much":    {Target{seat("a", int64(most)), 9, subscription.AddOns{one("small", 1)}}, 0, tooLarge},
		"an add-on of too much": {Target{flat("a", 1), 1, subscription.AddOns{one("huge", 9)}}, 0, tooLarge},
		"too much, then a little": {
			Target{flat("a", 1), 1, subscription.AddOns{one("huge", 9), one("small", 1)}}, 0, tooLarge,
		},
	} {
		total, err := f.FirstCost(c.of)
		require.Equal(t, c.code, code(err), name)
		if c.code == "" {
			require.Equal(t, c.want, total, name)
		}
		require.Equal(t, c.code, code(f.Billable(Target{Plan: flat("b", 1)}, c.of)), name)
		require.Equal(t, c.code, code(f.Billable(c.of, Target{Plan: flat("b", 1)})), name)
	}
}

// Lines that wait for the next invoice must fit on it together with the period. Waiting credit makes no room.
func TestRenewable(t *testing.T) {
	t.Parallel()
	for waits, want := range map[money.Minor]string{0: "", 1000: "", 1001: tooLarge, -5000: ""} {
		s := Period{}
		s.PendingLines = []invoice.Line{{Amount: waits}}
		require.Equal(t, want, code(s.Renewable(Target{Plan: flat("a", money.MaxMinor-1000), Quantity: 1})), "%d", waits)
	}
	s := Period{}
	s.PendingLines = []invoice.Line{{Amount: -5000}}
	require.Equal(t, tooLarge, code(s.Renewable(Target{Plan: seat("a", int64(money.MaxMinor)), Quantity: 2})))
	s.PendingLines = []invoice.Line{{Amount: money.MaxMinor}, {Amount: money.MaxMinor}}
	require.Equal(t, tooLarge, code(s.Renewable(Target{Plan: flat("a", 0), Quantity: 1})))
}

func TestCheckBillable(t *testing.T) {
	t.Parallel()
	dear := seat("dear", int64(money.MaxMinor)/100/100)
	weekly := flat("weekly", 1)
	weekly.Interval = period.Interval{Unit: period.Week, Count: 1}
	addOns := subscription.AddOns{{Ref: weekly.Ref(), Quantity: 1}}
	for name, c := range map[string]struct {
		change      func(*Period)
		code, param string
	}{
		"as it is":          {func(*Period) {}, "", ""},
		"too many now":      {func(s *Period) { s.Quantity = 1000 }, tooLarge, "quantity"},
		"too many later":    {func(s *Period) { s.PendingQuantity = 1000 }, tooLarge, "pendingQuantity"},
		"weekly add-ons":    {func(s *Period) { s.AddOns = addOns }, "add_ons_other_interval", "addOns"},
		"added with weekly": {func(s *Period) { s.PendingAddOns = &addOns }, "add_ons_other_interval", "addOns"},
	} {
		s := opened(dear, 1, "")
		s.Facts.AddOns = []plan.Plan{weekly}
		c.change(&s)
		err := s.CheckBillable()
		require.Equal(t, c.code, code(err), name)
		if err != nil {
			require.Equal(t, c.param, fault.From(err).Param, name)
		}
	}
}

// A scheduled change to the plan that the subscription has keeps the version that it is on by then.
func TestChanged(t *testing.T) {
	t.Parallel()
	next, other := flat("a", 2000), flat("b", 3000)
	next.Version = 2
	f := Facts{Scheduled: []plan.Plan{flat("a", 1000), other}}
	now := Target{Plan: next, Quantity: 2, AddOns: subscription.AddOns{{Ref: other.Ref(), Quantity: 1}}}
	for name, c := range map[string]struct {
		change subscription.ScheduledChange
		want   Target
	}{
		"nothing":          {subscription.ScheduledChange{}, now},
		"another plan":     {subscription.ScheduledChange{Plan: other.Ref()}, Target{other, 2, now.AddOns}},
		"the plan it has":  {subscription.ScheduledChange{Plan: plan.Ref{ID: next.ID, Version: 1}}, now},
		"another quantity": {subscription.ScheduledChange{Quantity: 5}, Target{next, 5, now.AddOns}},
		"no add-ons": {
			subscription.ScheduledChange{AddOns: &subscription.AddOns{}}, Target{next, 2, subscription.AddOns{}},
		},
		"a plan and a count": {subscription.ScheduledChange{Plan: other.Ref(), Quantity: 1}, Target{other, 1, now.AddOns}},
	} {
		require.Equal(t, c.want, f.Changed(now, c.change), name)
	}
}

// The first period after a trial has the fees of the plan, and no later one.
func TestRenewsFor_FeesOfTheFirstPeriod(t *testing.T) {
	t.Parallel()
	of := withFee(flat("a", 1000), 300)
	for index, want := range map[int]money.Minor{0: 1300, 1: 1000, 2: 1000} {
		s := opened(of, 1, "")
		s.PeriodIndex, s.NextPeriod = index, index
		amount, err := s.RenewsFor(of)
		require.NoError(t, err)
		require.Equal(t, want, amount, "after period %d", index)
	}
}

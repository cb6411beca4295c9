package lifecycle_test

import (
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

const someAddOn = "add_on_%d"

// someAddOns draws add-ons. Most of them fit the first plans.
func someAddOns(draw chance, plans []plan.Plan) []plan.Plan {
	addOns := somePlans(draw)[:4]
	for i := range addOns {
		a := &addOns[i]
		a.ID, a.Name, a.AddOn = fmt.Sprintf(someAddOn, i), "Add-on", true
		a.Interval, a.Dunning, a.ProrationMeasure = plans[i/2].Interval, nil, ""
		a.Prices = recurring(a.Prices)
		for j := range a.Prices {
			a.Prices[j].ID = fmt.Sprintf("%s_price_%d", a.ID, j)
		}
	}
	return addOns
}

// recurring returns the prices without one-off ones.
func recurring(prices []plan.Price) (out []plan.Price) {
	for _, p := range prices {
		if !p.Once {
			out = append(out, p)
		}
	}
	return out
}

// someChosen draws some of the add-ons with an interval.
func someChosen(draw chance, addOns []plan.Plan, every period.Interval) (chosen []subscription.Chosen) {
	for _, a := range addOns {
		if a.Interval == every && draw(2, "chosen") == 0 {
			chosen = append(chosen, subscription.Chosen{AddOn: a, Quantity: int64(1 + draw(4, "of an add-on"))})
		}
	}
	return chosen
}

// addOns lists the existing add-ons, in their newest versions.
func (l *life) addOns() (all []plan.Plan) {
	for i := range 4 {
		if p := l.newest(fmt.Sprintf(someAddOn, i)); p.ID != "" {
			all = append(all, p)
		}
	}
	return all
}

// changeAddOns requests other add-ons, sometimes together with a plan of another interval, or with add-ons that do not
// fit.
func (l *life) changeAddOns(draw chance, atPeriodEnd bool) {
	if l.behind() {
		return
	}
	had, invoices := l.sub(), len(l.store.invoices)
	cmd, beside := lifecycle.ChangePlan{AtPeriodEnd: atPeriodEnd}, l.store.plans[had.Plan()]
	if pending, ok := l.store.plans[had.PendingPlan()]; ok && atPeriodEnd {
		beside = pending
	}
	if draw(3, "with another plan") == 0 {
		if to := l.anyPlan(draw); to.ID != had.PlanID {
			cmd.Plan, beside = &to, to
		}
	}
	fitting := beside.Interval
	if draw(6, "not fitting") == 0 {
		fitting = l.anyPlan(draw).Interval
	}
	asked := someChosen(draw, l.addOns(), fitting)
	cmd.AddOns = &asked
	_, err := l.change(cmd)
	s := l.sub()
	switch {
	case err == nil && atPeriodEnd:
		require.Equal(l.t, had.AddOns, s.AddOns)
		l.requireAddOns(asked, s.NextAddOns())
		require.Len(l.t, l.store.invoices, invoices, "nothing is billed before the period ends")
	case err == nil:
		l.requireAddOns(asked, s.AddOns)
		l.requireAddOns(asked, s.NextAddOns()) // a move of one to another version still waits
	case s.Status == subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	case s.Status == subscription.Paused:
		require.Equal(l.t, subscribing.ErrPaused, err)
	case errors.Is(err, subscription.ErrAddOnsUnchanged):
		l.requireAddOns(asked, had.AddOns)
		require.Nil(l.t, had.PendingAddOns)
	case errors.Is(err, subscription.ErrAddOnInterval):
		require.NotEqual(l.t, beside.Interval, fitting)
	case errors.Is(err, subscription.ErrAddOnsStay): // they would renew with another plan
		require.True(l.t, !atPeriodEnd && had.PendingPlanID != "")
	case errors.Is(err, lifecycle.ErrNeedsReview):
		l.requireParked()
	case l.hasNotes(err):
	default:
		require.True(l.t, inProgress(err) && l.live("") != nil && !atPeriodEnd, err)
	}
}

// requireAddOns compares requested add-ons with the present ones, in any version.
func (l *life) requireAddOns(asked []subscription.Chosen, is subscription.AddOns) {
	want, got := map[string]int64{}, map[string]int64{}
	for _, c := range asked {
		want[c.AddOn.ID] = c.Quantity
	}
	for _, a := range is {
		got[a.ID] = a.Quantity
	}
	require.Equal(l.t, want, got)
}

// migrateAddOn moves the subscription to a version of one of its add-ons, possibly a new one.
func (l *life) migrateAddOn(draw chance, atPeriodEnd bool) {
	had := l.sub()
	if l.behind() || len(had.AddOns) == 0 {
		return
	}
	of := had.AddOns[draw(len(had.AddOns), "which add-on")]
	l.newVersion(l.newest(of.ID), recurring(somePlans(draw)[0].Prices))
	to := l.store.plans[plan.Ref{ID: of.ID, Version: 1 + draw(l.newest(of.ID).Version, "version")}]
	_, err := l.apply(lifecycle.Migrate{PlanID: of.ID, To: &to, AtPeriodEnd: atPeriodEnd})
	s := l.sub()
	has := func(list subscription.AddOns) bool {
		for _, a := range list {
			if a.Ref == to.Ref() && a.Quantity == of.Quantity {
				return true
			}
		}
		return false
	}
	switch {
	case err == nil && atPeriodEnd:
		require.Equal(l.t, had.AddOns, s.AddOns)
	case err == nil:
		require.True(l.t, has(s.AddOns))
		require.Len(l.t, s.AddOns, len(had.AddOns))
	case s.Status == subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	case s.Status == subscription.Paused:
		require.Equal(l.t, subscribing.ErrPaused, err)
	case errors.Is(err, subscribing.ErrVersionUnchanged):
		require.True(l.t, of.Ref == to.Ref() || atPeriodEnd)
	case errors.Is(err, subscribing.ErrLeavesPlan):
		require.True(l.t, atPeriodEnd)
	case errors.Is(err, lifecycle.ErrNeedsReview):
		l.requireParked()
	case l.hasNotes(err):
	default:
		require.True(l.t, inProgress(err) && l.live("") != nil && !atPeriodEnd, err)
	}
}

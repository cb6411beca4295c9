package subscription

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/retry"
)

var intervals = []period.Interval{
	month, month, month, // most changes keep the interval
	{Unit: period.Year, Count: 1}, {Unit: period.Week, Count: 1}, {Unit: period.Day, Count: 1}, {Unit: period.Day, Count: 30},
}

func drawPlans(t *rapid.T) []plan.Plan {
	plans := make([]plan.Plan, 5)
	for i := range plans {
		p := plan.Plan{ID: fmt.Sprintf("plan_%d", i), Name: "P", Currency: "EUR", Active: true}
		p.Interval = rapid.SampledFrom(intervals).Draw(t, "interval")
		for range rapid.IntRange(1, 3).Draw(t, "number of prices") {
			amount := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 9), rapid.Int64Range(0, 100_000)).Draw(t, "price")
			p.Prices = append(p.Prices, plan.Price{Model: plan.Flat, Amount: money.Minor(amount)})
		}
		plans[i] = p
	}
	return plans
}

func drawLife(t *rapid.T) (*life, []plan.Plan) {
	plans := drawPlans(t)
	settings := Settings{
		Retry:                  retry.Policy{Base: 24 * time.Hour, Factor: 2, Retries: rapid.SampledFrom([]int{3, 3, 0}).Draw(t, "retries")},
		PastDueBilling:         rapid.SampledFrom([]PastDueBilling{SkipPastDue, AccruePastDue}).Draw(t, "past due billing"),
		PastDueCancelAfterDays: rapid.SampledFrom([]int{0, 0, 20}).Draw(t, "patience"),
	}
	l := newLife(t, plans, settings, plans[0], rapid.SampledFrom([]int{0, 0, 14}).Draw(t, "trial"))
	l.late = rapid.Bool().Draw(t, "late")
	return l, plans
}

// The whole life under any timeline of commands, results and time; what must hold is in life.check and life.take.
func TestAnyLife(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, plans := drawLife(t)
		t.Repeat(map[string]func(*rapid.T){
			"an hour or days": func(t *rapid.T) {
				l.until(l.now.Add(time.Duration(rapid.Int64Range(1, 20*86400).Draw(t, "seconds")) * time.Second))
			},
			"what is next": func(t *rapid.T) { l.toNext(rapid.SampledFrom([]time.Duration{0, -1, 1}).Draw(t, "offset")) },
			"success":      func(*rapid.T) { l.result(collection.AttemptSucceeded) },
			"also success": func(*rapid.T) { l.result(collection.AttemptSucceeded) },
			"failure":      func(*rapid.T) { l.result(collection.AttemptFailed) },
			"also failure": func(*rapid.T) { l.result(collection.AttemptFailed) },
			"late success": func(t *rapid.T) {
				if n := len(l.failed); n > 0 {
					inv := l.find(l.failed[rapid.IntRange(0, n-1).Draw(t, "which")])
					_, err := l.step(inv, collection.AttemptSucceeded)
					require.NoError(t, err)
					l.settle()
				}
			},
			"pay": func(*rapid.T) { l.pay() },
			"new method": func(*rapid.T) {
				if inv := l.find(l.collecting); inv != nil && l.s.Status != Canceled {
					_, err := l.step(inv, collection.MethodChanged)
					require.NoError(t, err)
					l.settle()
				}
			},
			"change plan": func(t *rapid.T) {
				l.changePlan(rapid.SampledFrom(plans).Draw(t, "to"), rapid.SampledFrom([]bool{false, false, true}).Draw(t, "at period end"))
			},
			"cancel at period end": func(*rapid.T) { l.command(cancelAtPeriodEnd, nil) },
			"reactivate":           func(*rapid.T) { l.command(reactivate, ErrNotScheduled) },
			"cancel now": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "one in ten") == 0 {
					l.cancelNow(t, rapid.Bool().Draw(t, "refund"))
				}
			},
		})
	})
}

// toNext moves to the next thing that happens by itself, or a nanosecond beside it.
func (l *life) toNext(offset time.Duration) {
	var state *collection.State
	if inv := l.find(l.collecting); inv != nil {
		state = &inv.Collection
	}
	action, at := l.s.Next(state, l.settings)
	if to := at.Add(offset); action != ActionNone && !to.Before(l.now) {
		l.until(to)
	}
}

// result ends the live attempt, if there is one.
func (l *life) result(kind collection.Kind) {
	for i := range l.invoices {
		inv := &l.invoices[i]
		if inv.Collection.Phase != collection.Charging {
			continue
		}
		if kind == collection.AttemptFailed {
			l.failed = append(l.failed, inv.ID)
		}
		_, err := l.step(inv, kind)
		require.NoError(l.t, err)
		l.settle()
		return
	}
}

func (l *life) pay() {
	inv, err := l.s.Payable(l.facts(), nil)
	if err != nil {
		require.True(l.t, l.s.Status == Trialing || len(l.open()) == 0, err)
		return
	}
	_, err = l.step(l.find(inv.ID), collection.Pay)
	require.Equal(l.t, inv.Collection.Phase == collection.Charging, err != nil, err)
	l.settle()
}

func (l *life) changePlan(to plan.Plan, atPeriodEnd bool) {
	f := l.facts()
	busy := false
	for _, inv := range f.Open {
		busy = busy || inv.Collection.Phase == collection.Charging
	}
	d, err := l.s.ChangePlan(f, to, atPeriodEnd, l.now)
	switch {
	case l.s.Status == Canceled:
		require.Equal(l.t, ErrCanceled, err)
		return
	case to.ID == l.s.PlanID && l.s.PendingPlanID == "":
		require.Equal(l.t, ErrPlanUnchanged, err)
		return
	case err != nil:
		require.Equal(l.t, ErrPaymentPending, err)
		require.True(l.t, busy && !atPeriodEnd, "refused without a live attempt")
		return
	}
	l.take(changePlan, d)
	l.settle()
}

func (l *life) command(in input, mayAlso error) {
	call := map[input]func() (Decision, error){
		cancelAtPeriodEnd: func() (Decision, error) { return l.s.Cancel(l.facts(), Cancellation{}, l.now) },
		reactivate:        func() (Decision, error) { return l.s.Reactivate(l.now) },
	}[in]
	d, err := call()
	if err != nil {
		require.True(l.t, l.s.Status == Canceled && errors.Is(err, ErrCanceled) || !l.s.CancelAtPeriodEnd && errors.Is(err, mayAlso), err)
		return
	}
	l.take(in, d)
	l.settle()
}

func (l *life) cancelNow(t require.TestingT, refund bool) {
	f := l.facts()
	d, err := l.s.Cancel(f, Cancellation{Immediate: true, RefundUnused: refund}, l.now)
	if l.s.Status == Canceled {
		require.Equal(t, ErrCanceled, err)
		return
	}
	require.NoError(t, err)
	if !refund {
		require.Empty(t, d.Issue)
	}
	var paid money.Minor
	for _, inv := range f.Paid {
		paid += inv.AmountPaid
	}
	for _, closing := range d.Issue {
		require.LessOrEqual(t, closing.Refund, paid, "the charges cannot give that much back")
	}
	l.take(cancelNow, d)
	if n := len(l.uses); refund && n > 0 { // a period that is over was used to its end
		if at := l.now.Truncate(time.Second); at.Before(l.uses[n-1].to) {
			l.uses[n-1].to = at
		}
	}
	l.settle()
	for _, inv := range l.open() {
		require.Contains(t, []collection.Phase{collection.Closed, collection.Charging}, inv.Collection.Phase)
	}
}

// A chain of changes within one period, each invoice paid or left open at will, costs what each plan was used for, to
// the minor unit, however long the period and large the prices.
func TestAChainOfChangesCostsWhatWasUsed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plans := drawPlans(t)
		interval, large := rapid.SampledFrom(intervals).Draw(t, "the interval of all"), rapid.Bool().Draw(t, "large")
		for i := range plans {
			plans[i].Interval = interval
			for j := range plans[i].Prices {
				if large { // a plan has three prices at most
					plans[i].Prices[j].Amount = money.Minor(rapid.Int64Range(0, int64(money.MaxMinor)/4).Draw(t, "large price"))
				}
			}
		}
		l := newLife(t, plans, Settings{Retry: retry.Policy{Base: 24 * time.Hour, Factor: 2, Retries: 3}}, plans[0], 0)
		l.until(l.now)
		end := l.s.CurrentPeriod.End
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			l.result(rapid.SampledFrom([]collection.Kind{collection.AttemptSucceeded, collection.AttemptFailed}).Draw(t, "result"))
			left := max(int64(end.Sub(l.now)/time.Second)-1, 0)
			l.until(l.now.Add(time.Duration(rapid.Int64Range(0, left).Draw(t, "seconds")) * time.Second))
			l.changePlan(rapid.SampledFrom(plans).Draw(t, "to"), false)
		}
		for len(l.open()) > 0 {
			if l.find(l.collecting).Collection.Phase != collection.Charging {
				l.pay()
			}
			l.result(collection.AttemptSucceeded)
		}
		var used money.Minor
		for _, u := range l.uses {
			used += u.cost()
		}
		require.Equal(t, used, l.captured-l.balance)
		for _, inv := range l.invoices {
			require.NotEqual(t, invoice.Open, inv.Status)
		}
	})
}

package lifecycle_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// newest returns the version of a plan that new subscribers get.
func (l *life) newest(id string) plan.Plan {
	p := l.store.plans[plan.Ref{ID: id, Version: 1}]
	for next, ok := p, true; ok; next, ok = l.store.plans[plan.Ref{ID: id, Version: p.Version + 1}] {
		p = next
	}
	return p
}

// newVersion gives a plan other prices. Present subscribers keep theirs.
func (l *life) newVersion(p plan.Plan, prices []plan.Price) {
	for i := range prices {
		prices[i].ID = fmt.Sprintf("%s_v%d_%d", p.ID, p.Version+1, i)
	}
	for _, price := range p.Prices {
		if price.Arrears {
			price.ID = fmt.Sprintf("%s_v%d_arrears", p.ID, p.Version+1)
			prices = append(prices, price)
		}
	}
	terms := p.Terms()
	terms.Prices = prices
	if !l.idleUsage {
		terms.Metered = repriced(p)
	}
	p, err := p.Next(terms, l.now)
	if err == nil { // refused: the same prices were drawn
		l.store.plans[p.Ref()] = p
	}
}

// somePrices draws the prices of a version, often with one that the newest version has.
func (l *life) somePrices(draw chance) []plan.Price {
	prices := somePlans(draw)[0].Prices
	had := l.newest(l.sub().PlanID)
	for _, price := range had.Prices {
		again := func(other plan.Price) bool { return priced(had, other) == priced(had, price) }
		if !price.Arrears && !price.Once && !slices.ContainsFunc(prices, again) && draw(2, "it stays") == 0 {
			return append(prices, price)
		}
	}
	return prices
}

// migrate moves the subscription to any version of its plan.
func (l *life) migrate(draw chance, atPeriodEnd bool) {
	if l.behind() {
		return
	}
	had, invoices := l.sub(), len(l.store.invoices)
	to := l.store.plans[plan.Ref{ID: had.PlanID, Version: 1 + draw(l.newest(had.PlanID).Version, "version")}]
	_, err := l.apply(lifecycle.Migrate{To: &to, AtPeriodEnd: atPeriodEnd})
	s := l.sub()
	leaves := had.CancelAtPeriodEnd || had.PendingPlanID != "" && had.PendingPlanID != had.PlanID
	switch {
	case err == nil && atPeriodEnd && to.Version != had.PlanVersion:
		require.Equal(l.t, [2]plan.Ref{had.Plan(), to.Ref()}, [2]plan.Ref{s.Plan(), s.PendingPlan()})
		require.Len(l.t, l.store.invoices, invoices, "nothing is billed before the period ends")
	case err == nil:
		require.Equal(l.t, to.Ref(), s.Plan())
		require.NotEqual(l.t, to.ID, s.PendingPlanID, "nothing waits on this plan")
		if had.PendingPlanID != had.PlanID {
			require.Equal(l.t, had.PendingPlan(), s.PendingPlan(), "a change to another plan goes on waiting")
		}
	case s.Status == subscription.Canceled:
		require.Equal(l.t, subscribing.ErrCanceled, err)
	case s.Status == subscription.Paused:
		require.Equal(l.t, subscribing.ErrPaused, err)
	case errors.Is(err, subscribing.ErrVersionUnchanged):
		require.True(l.t, to.Ref() == had.Plan() && had.PendingPlanID != had.PlanID || to.Ref() == had.PendingPlan())
	case errors.Is(err, subscribing.ErrLeavesPlan):
		require.True(l.t, leaves && atPeriodEnd)
	case errors.Is(err, lifecycle.ErrNeedsReview):
		l.requireParked()
	case l.hasNotes(err):
	default:
		require.True(l.t, inProgress(err) && l.live("") != nil && !atPeriodEnd, err)
	}
}

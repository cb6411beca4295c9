package lifecycle_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// meterSeats gives the add-on of a month metered prices: usage is of the shortest interval.
func (m *mixedUse) meterSeats(draw chance) {
	seats := m.newest("seats")
	seats.Metered = someMetered(draw, seats.ID)
	seats.Metered.Commitment, seats.Metered.Minimum = nil, nil
	m.store.plans[seats.Ref()] = seats
	m.metered, m.lazy = true, draw(2, "usage is rated late") == 0
	m.began = slices.MinFunc([]time.Time{m.sub().CreatedAt, m.sub().CurrentPeriod.Start}, time.Time.Compare)
}

// rich performs one step of a life with coupons, versions and usage.
func (m *mixedUse) rich(draw chance) {
	if m.metered {
		m.useSome(draw)
	}
	switch draw(6, "kind of step") {
	case 0, 1:
		m.coupon(draw)
	case 2:
		m.reprice(draw)
	case 3:
		if open := m.open(); m.blind && len(open) > 0 && draw(2, "gives up") == 0 {
			m.giveUp(open[draw(len(open), "which invoice")], draw(2, "void") == 0)
		}
	default:
		m.step(draw)
		return
	}
	m.observe(m.now)
	m.pay(draw)
}

// reprice makes a version with another price of the plan or of an add-on, and moves the subscription to it.
func (m *mixedUse) reprice(draw chance) {
	ids := []string{""}
	for _, a := range m.sub().AddOns {
		ids = append(ids, a.ID)
	}
	cmd := lifecycle.Migrate{PlanID: ids[draw(len(ids), "of")], AtPeriodEnd: draw(2, "at period end") == 0}
	of := m.newest(m.sub().PlanID)
	if cmd.PlanID != "" {
		of = m.newest(cmd.PlanID)
	}
	price := of.Prices[0]
	for amount := money.Minor(1 + draw(200_000, "price")); ; amount++ { // a price that is repeated keeps its item
		if price.UnitPrice.IsGiven() {
			price.UnitPrice = money.Units(amount, "EUR")
		} else {
			price.Amount = amount
		}
		if !m.sold(of, price) {
			break
		}
	}
	m.newVersion(of, []plan.Price{price})
	to := m.newest(of.ID)
	cmd.To = &to
	m.command(cmd)
}

// sold reports whether a version of a plan or an add-on has such a price.
func (m *mixedUse) sold(of plan.Plan, price plan.Price) bool {
	for v := 1; v <= of.Version; v++ {
		if had := m.store.plans[plan.Ref{ID: of.ID, Version: v}]; priced(had, had.Prices[0]) == priced(of, price) {
			return true
		}
	}
	return false
}

// The same with coupons, versions and usage: what is billed before discounts, beside usage, is what was used. Some are
// only checked by the invariants of all lives, since invoices are given up or periods skipped.
func TestMixed_RandomLifeWithCouponsAndUsage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := drawing(t)
		m := newMixed(t, draw)
		if draw(2, "usage") == 0 {
			m.meterSeats(draw)
		}
		if m.blind = draw(3, "gives up, or skips") == 0; m.blind {
			billing := []subscription.PastDueBilling{subscription.SkipPastDue, subscription.AccruePastDue}[draw(2, "past due")]
			m.store.settings.PastDueBilling, m.account.settings.PastDueBilling = billing, billing
		}
		m.begin(draw)
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			m.rich(draw)
		}
	})
}

package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/answer"
	"perennial/billing/money"
)

// After any changes within the period, the refund is the money captured for it less the cost of the used time, and no
// credit of its changes is left.
func TestCancel_RefundAfterAnyChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := drawing(t)
		some := somePlans(draw)
		for i := range some {
			if own := some[i].Dunning; own != nil {
				own.Minimums = nil // minimums leave amounts on the balance
			}
		}
		l := newLife(t, append(some, free), settings, team, 0)
		l.store.plans[team.Ref()] = team
		l.until(l.now)
		for range draw(9, "changes") {
			l.result([]answer.Outcome{
				answer.Succeeded, answer.Succeeded, answer.Declined,
			}[draw(3, "result")])
			left := max(int64(l.sub().CurrentPeriod.End.Sub(l.now)/time.Second)-1, 0)
			l.pass(time.Duration(rapid.Int64Range(0, min(left, 3*86400)).Draw(t, "seconds")) * time.Second)
			to := l.anyPlan(draw)
			if draw(6, "free") == 0 {
				to = free
			}
			l.changePlan(to, false)
		}
		l.result(answer.Succeeded)
		captured := l.capturedSum()

		l.cancelNow(true)

		require.Equal(t, max(captured-l.account.used, 0), l.refunded())
		require.Equal(t, max(l.account.used-captured, 0), l.due())
		require.Zero(t, l.store.balance)
	})
}

// Earlier credit paid for a part of the period: that part of the refund becomes credit.
func TestCancel_RefundLeavesEarlierCredit(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, pro, 0)
	l.until(l.now)
	l.result(answer.Succeeded)
	l.pass(3 * week)
	l.changePlan(team, false)
	require.Equal(t, money.Minor(500), l.store.balance)
	l.until(l.sub().CurrentPeriod.End)
	l.result(answer.Succeeded)
	require.Equal(t, money.Minor(500), l.charges()[1].Amount)
	l.pass(l.sub().CurrentPeriod.Duration() / 4)

	l.cancelNow(true)

	require.Equal(t, money.Minor(250), l.refunded(), "500 captured, 250 used")
	require.Equal(t, money.Minor(500), l.store.balance)
}

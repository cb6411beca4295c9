package rating_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/service/usage"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// accrued returns the amount of the current period so far.
func accrued(l *life.Life) usage.Accrued {
	l.T.Helper()
	sub, err := l.Store.Subscriptions.Get(l.T.Context(), l.Env, l.Ref.ID)
	require.NoError(l.T, err)
	out, err := usage.New(usecase.Base{Store: l.Store, Now: l.Clock.Now}).
		Accrued(l.T.Context(), usecase.Caller{EnvironmentID: l.Env}, sub)
	require.NoError(l.T, err)
	return out
}

func accruedLines(of usage.Accrued) (out []string) {
	for _, l := range of.Accrual.Lines {
		out = append(out, fmt.Sprintf("%s %s %s × %s = %d", l.Kind, l.Description, l.Quantity, l.UnitPrice, l.Amount))
	}
	return out
}

// The amount in the middle of a period equals its invoice, if no more usage is recorded: included units and the
// commitment are those of the whole period.
func TestAccrued_IsWhatTheInvoiceBills(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	p := metering(calls(t, s))
	p.Metered.Components[0].Rates[0].Price.Included = money.Whole(40)
	p.Metered.Commitment = &metered.Commitment{ID: p.Prices[0].ID + "c", Amount: 2000}
	l := life.Begin(t, s, p)
	l.Until(scene.Start.Add(10 * life.Day))
	used(l, "eu", 100, scene.Start.Add(life.Day))
	used(l, "us", 30, scene.Start.Add(2*life.Day))

	shown := accrued(l)
	require.Empty(t, shown.Costless)
	require.Equal(t, money.Minor(2000), shown.Accrual.Total())
	require.Zero(t, shown.Accrual.Billed)
	l.Until(scene.Start.AddDate(0, 1, 1))

	all := l.Invoices()
	require.Len(t, all, 2)
	require.Len(t, accruedLines(shown), 3)
	require.ElementsMatch(t, accruedLines(shown), amounts(all[1])[1:])
	l.Sound()
}

// A change of plan divides the period: both parts are shown, and a correction makes the amount less than was billed.
func TestAccrued_OfAChangedPlan(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	of := calls(t, s)
	dearer := metering(of)
	dearer.Metered.Components[0].Rates[0].Price = perUnit("0.1")
	dearer = s.Plan(t, dearer)
	l := life.Begin(t, s, metering(of))
	l.Until(scene.Start.Add(10 * life.Day))
	used(l, "eu", 100, scene.Start.Add(life.Day))
	life.Perform(t, s, l.Ref, lifecycle.ChangePlan{Plan: &dearer})
	l.Reload()
	l.Until(scene.Start.Add(12 * life.Day))
	used(l, "eu", 10, scene.Start.Add(11*life.Day))

	shown := accrued(l)

	require.Equal(t, []string{
		"usage Plan – calls 100 × 0.05 = 500", "usage Plan – calls 10 × 0.1 = 100",
	}, accruedLines(shown))
	require.Equal(t, money.Minor(600), shown.Accrual.Total())
	l.Until(scene.Start.AddDate(0, 1, 1))
	all := l.Invoices()
	require.ElementsMatch(t, accruedLines(shown), amounts(all[len(all)-1])[1:])
	require.Empty(t, accrued(l).Accrual.Lines, "of the next period, nothing")
}

package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// dearer returns the second version of team: a week costs 500 instead of 250.
func (l *life) dearer() plan.Plan {
	l.newVersion(team, []plan.Price{plan.Flat("", "", 2000)})
	return l.newest(team.ID)
}

func (l *life) perform(cmd lifecycle.Command) {
	_, err := l.apply(cmd)
	require.NoError(l.t, err)
}

func TestMigrate_Now(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	to := l.dearer()
	l.pass(2 * week)

	l.perform(lifecycle.Migrate{To: &to})

	require.Equal(t, to.Ref(), l.sub().Plan())
	require.Equal(t, []money.Minor{1000, 500}, l.totals(), "two weeks at 500 less two weeks at 250")
	updated := l.store.events[len(l.store.events)-3].Data.(event.SubscriptionUpdated)
	require.Equal(t, []string{"planVersion"}, updated.Changed)
	require.Zero(t, l.account.events[event.TypeSubscriptionPlanChanged], "the plan is the same")
	l.result(answer.Succeeded)
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, []money.Minor{1000, 500, 2000}, l.totals())
}

// A withdrawal of the change at the end of the period does not withdraw another user's move of versions.
func TestWithdrawChange_LeavesMovesToVersions(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	to := l.dearer()
	l.perform(lifecycle.Migrate{To: &to, AtPeriodEnd: true})
	l.perform(lifecycle.ChangePlan{Quantity: 3, AtPeriodEnd: true})

	l.perform(lifecycle.WithdrawChange{ID: subscription.AtPeriodEnd})

	require.Zero(t, l.sub().PendingQuantity)
	require.Equal(t, to.Ref(), l.sub().PendingPlan())
	_, err := l.apply(lifecycle.WithdrawChange{ID: subscription.AtPeriodEnd})
	require.Equal(t, subscribing.ErrMoveWaits, err)
	back := team
	l.perform(lifecycle.Migrate{To: &back, AtPeriodEnd: true})
	require.Zero(t, l.sub().PendingPlan())
}

func TestMigrate_AtThePeriodsEnd(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	to := l.dearer()

	l.perform(lifecycle.Migrate{To: &to, AtPeriodEnd: true})
	require.Equal(t, [2]plan.Ref{team.Ref(), to.Ref()}, [2]plan.Ref{l.sub().Plan(), l.sub().PendingPlan()})
	_, err := l.apply(lifecycle.Migrate{To: &to, AtPeriodEnd: true})
	require.Equal(t, subscribing.ErrVersionUnchanged, err)
	l.changePlan(team, true)
	require.Zero(t, l.sub().PendingPlan(), "to stay on the plan is to keep its version")
	l.perform(lifecycle.Migrate{To: &to, AtPeriodEnd: true})
	back := team
	l.perform(lifecycle.Migrate{To: &back, AtPeriodEnd: true})
	require.Zero(t, l.sub().PendingPlan(), "as is to migrate back")
	l.perform(lifecycle.Migrate{To: &to, AtPeriodEnd: true})

	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, to.Ref(), l.sub().Plan())
	require.Zero(t, l.sub().PendingPlan())
	require.Equal(t, []money.Minor{1000, 2000}, l.totals())
}

// A migration does not undo a later one.
func TestMigrate_NeverBack(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	second := l.dearer()
	l.newVersion(second, []plan.Price{plan.Flat("", "", 3000)})
	third := l.newest(team.ID)
	late := func() error {
		_, err := l.apply(lifecycle.Migrate{To: &second, AtPeriodEnd: true, NeverBack: true})
		return err
	}
	l.perform(lifecycle.Migrate{To: &third, AtPeriodEnd: true, NeverBack: true})

	require.Equal(t, subscription.ErrSuperseded, late(), "it waits for the third")
	l.until(l.sub().CurrentPeriod.End)
	l.result(answer.Succeeded)
	require.Equal(t, third.Ref(), l.sub().Plan())
	require.Equal(t, subscription.ErrSuperseded, late(), "it is on the third")
	l.perform(lifecycle.Migrate{To: &second, AtPeriodEnd: true})
	require.Equal(t, second.Ref(), l.sub().PendingPlan(), "a person may move it back")
}

// An earlier scheduled change stays, since the customer requested it.
func TestMigrate_BesideAScheduledChange(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	to := l.dearer()
	l.changePlan(pro, true)

	_, err := l.apply(lifecycle.Migrate{To: &to, AtPeriodEnd: true})
	require.Equal(t, subscribing.ErrLeavesPlan, err)
	l.perform(lifecycle.Migrate{To: &to})
	require.Equal(t, [2]plan.Ref{to.Ref(), pro.Ref()}, [2]plan.Ref{l.sub().Plan(), l.sub().PendingPlan()})
	l.result(answer.Succeeded)
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, pro.Ref(), l.sub().Plan())

	_, err = l.apply(lifecycle.Migrate{To: &to})
	require.Equal(t, subscribing.ErrNotOnPlan, err)
	l.schedule(lifecycle.Cancel{})
	l.newVersion(pro, []plan.Price{plan.Flat("", "", 1)})
	other := l.newest(pro.ID)
	_, err = l.apply(lifecycle.Migrate{To: &other, AtPeriodEnd: true})
	require.Equal(t, subscribing.ErrLeavesPlan, err)
	l.perform(lifecycle.Cancel{Immediate: true})
	_, err = l.apply(lifecycle.Migrate{To: &other})
	require.Equal(t, subscribing.ErrCanceled, err)
}

// A migration of many that is repeated a day later, after a restore, bills the same invoice with the same lines
// and attempt: the provider knows the key. Without a time they are other ones.
func TestMigrate_RepeatedAfterARestore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		key  string
		same bool
	}{"with a time": {"migration", true}, "without": {"", false}} {
		l := begun(t, settings)
		l.result(answer.Succeeded)
		to := l.dearer()
		l.pass(2 * week)
		cmd := lifecycle.Migrate{To: &to, Key: c.key}
		if c.key != "" {
			cmd.At = l.now.Add(-time.Hour)
		}
		bills := func() (inv invoice.Invoice, attempt string) {
			_, changes, err := lifecycle.Apply(l.store.load(true), cmd, l.moment())
			require.NoError(t, err)
			require.Len(t, changes.NewTransactions, 1)
			inv = changes.Invoices.Of(lifecycle.InvoiceCreated)[0]
			require.Equal(t, changes.NewTransactions[0].Amount, inv.AmountDue)
			return inv, changes.NewTransactions[0].ID
		}
		first, attempt := bills()
		l.now, l.real = l.now.Add(23*time.Hour), l.real.Add(23*time.Hour)
		again, repeated := bills()
		require.Equal(t, c.same, first.ID == again.ID && attempt == repeated, name)
		require.Equal(t, c.same, first.Lines[0].ID == again.Lines[0].ID, name)
		require.Equal(t, c.same, first.Lines[1].Amount == again.Lines[1].Amount, name)
	}
}

// A time before the current period counts as its begin, and one after now, of another clock, as now.
func TestMigrate_FromATimeOfAnotherPeriod(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	to := l.dearer()
	l.pass(2 * week)
	from := func(at time.Time) time.Time {
		_, changes, err := lifecycle.Apply(l.store.load(true), lifecycle.Migrate{To: &to, Key: "migration", At: at}, l.moment())
		require.NoError(t, err)
		return changes.Invoices.Of(lifecycle.InvoiceCreated)[0].Period.Start
	}
	begin := l.sub().CurrentPeriod.Start
	require.Equal(t, begin, from(begin.Add(-time.Hour)))
	require.Equal(t, begin.Add(time.Hour), from(begin.Add(time.Hour)))
	require.Equal(t, l.now, from(l.now.Add(time.Hour)))
}

// A price that the other version repeats goes on as it is, under another id: it is neither credited nor charged, also
// where the invoice of the period was given up. What a later change takes back of it is what was billed before.
func TestMigrate_KeepsARepeatedPrice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(*life)
		want   []money.Minor
		back   money.Minor // of the version's own price and what was paid before, for a week
	}{
		"paid": {func(l *life) { l.result(answer.Succeeded) }, []money.Minor{1000, 250}, 375},
		"open": {func(l *life) { l.result(answer.Declined) }, []money.Minor{1250}, 0},
		"given up": {func(l *life) {
			l.result(answer.Declined)
			l.writtenOff = true
			l.must(lifecycle.MarkUncollectible{InvoiceID: l.store.invoices[0].ID})
		}, []money.Minor{1000, 250}, 125},
	} {
		slow := settings
		slow.Dunning.Retry.Base = 40 * 24 * time.Hour // no retry comes between
		l := begun(t, slow)
		c.before(l)
		was := l.sub().Items
		kept := team.Prices[0]
		l.newVersion(team, []plan.Price{plan.Flat("", "Support", 500), kept})
		to := l.newest(team.ID)
		l.moveTo(created.Add(2 * week))

		l.must(lifecycle.Migrate{To: &to})

		require.Equal(t, c.want, l.totals(), name)
		items := l.sub().Items
		require.Len(t, items, 2)
		require.Equal(t, was[0].ID, items[1].ID, name)
		require.Equal(t, to.Prices[1].ID, items[1].PriceID, name)
		if c.back == 0 {
			continue
		}
		l.result(answer.Succeeded)
		l.moveTo(created.Add(3 * week))
		l.must(lifecycle.Cancel{Immediate: true, RefundUnused: true})
		var back money.Minor
		for _, n := range l.store.notes {
			back += n.Total
		}
		require.Equal(t, c.back, back, name)
	}
}

// A version that repeats all prices bills nothing at all, and takes nothing back: also while a payment is in progress.
func TestMigrate_ToTheSamePrices(t *testing.T) {
	t.Parallel()
	l := begun(t, settings) // its payment is in progress
	fee := plan.Flat("", "Setup", 700)
	fee.Once = true
	l.newVersion(team, []plan.Price{fee, team.Prices[0]})
	to := l.newest(team.ID)
	l.moveTo(created.Add(2 * week))
	l.must(lifecycle.Migrate{To: &to})
	require.Equal(t, []money.Minor{1000}, l.totals())
	require.Equal(t, to.Ref(), l.sub().Plan())
}

// Nor does a version of an add-on that repeats its prices: the open invoice stays, with its attempts.
func TestMigrate_AddOnToTheSamePrices(t *testing.T) {
	t.Parallel()
	extra := flat("plan_extra", month, 200)
	extra.AddOn = true
	slow := settings
	slow.Dunning.Retry.Base = 40 * 24 * time.Hour // no retry comes between
	l := newLifeOf(t, []plan.Plan{team, extra}, slow, team, subscribing.NewInput{
		AddOns: []subscription.Chosen{{AddOn: extra, Quantity: 1}},
	})
	l.advance()
	l.result(answer.Declined)
	to := extra
	to.Version, to.Prices = 2, []plan.Price{extra.Prices[0]} // as one with other amounts in another currency
	to.Prices[0].ID = "plan_extra_v2_0"
	l.store.plans[to.Ref()] = to
	l.moveTo(created.Add(2 * week))

	l.must(lifecycle.Migrate{PlanID: extra.ID, To: &to})

	require.Len(t, l.store.invoices, 1)
	require.Equal(t, invoice.Open, l.store.invoices[0].Status)
	require.Equal(t, to.Ref(), l.sub().AddOns[0].Ref)
	require.Equal(t, to.Prices[0].ID, l.sub().Items[1].PriceID)
}

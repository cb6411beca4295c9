package lifecycle_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/foresight"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/recording"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// beginWith returns an active subscription whose first period is paid, with scheduled changes.
func beginWith(t require.TestingT, plans []plan.Plan, changes ...lifecycle.Command) *life {
	l := newLife(t, plans, settings, plans[0], 0)
	l.advance()
	l.result(answer.Succeeded)
	for _, c := range changes {
		_, err := l.apply(c)
		require.NoError(t, err)
	}
	return l
}

// sums returns the amount billed for each item in each period.
func (l *life) sums() map[billed]money.Minor {
	sums := map[billed]money.Minor{}
	for _, inv := range l.store.billed() {
		if inv.Status == invoice.Void {
			continue
		}
		for _, line := range inv.Lines {
			sums[l.billedBy(line)] += line.Amount
		}
	}
	maps.DeleteFunc(sums, func(_ billed, sum money.Minor) bool { return sum == 0 })
	return sums
}

// After an outage each change is made from its date on, in order: the invoices equal those without the outage.
func TestScheduledChange_LateIsAsOnTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := drawing(t)
		offered := somePlans(draw)
		var changes []lifecycle.Command
		at := created
		for range 1 + draw(5, "changes") {
			at = at.Add(time.Duration(1+draw(30*86400, "seconds")) * time.Second)
			if draw(4, "anchor") == 0 {
				changes = append(changes, lifecycle.MoveAnchor{On: at})
				continue
			}
			c := lifecycle.ChangePlan{On: at}
			if draw(2, "plan") == 0 {
				c.Plan = &offered[draw(len(offered), "to")]
			} else {
				c.Quantity = int64(1 + draw(5, "quantity"))
			}
			changes = append(changes, c)
		}
		end := at.Add(40 * 24 * time.Hour)
		onTime, late := beginWith(t, offered, changes...), beginWith(t, offered, changes...)
		onTime.untilPaid(end)
		late.moveTo(end)
		late.advanceAll()

		require.Empty(t, late.sub().Scheduled)
		require.Equal(t, onTime.sub().Plan(), late.sub().Plan())
		require.Equal(t, onTime.sub().CurrentPeriod, late.sub().CurrentPeriod)
		require.Equal(t, onTime.sums(), late.sums())
	})
}

// An overdue change precedes attempts and retries of the renewal, also with other actions between them.
func TestScheduledChange_LateComesBeforePayments(t *testing.T) {
	t.Parallel()
	boundary := created.AddDate(0, 0, 28)
	end := boundary.AddDate(0, 0, 31)
	for name, declined := range map[string]bool{"behind a reminder": false, "behind a retry": true} {
		var lives []*life
		for _, at := range []time.Time{end.Add(-time.Hour), end.Add(time.Hour)} { // on time, late
			l := beginWith(t, plans, lifecycle.ChangePlan{Plan: &pro, On: end.Add(-24 * time.Hour)})
			l.store.customer.PaymentMethod, l.store.settings.RenewalReminderDays = "mobile_money_mtn", 3
			if declined {
				l.until(boundary)
				l.result(answer.Declined)
				l.store.customer.PaymentMethod = "card"
			}
			if at.Before(end) {
				l.untilPaid(at)
			}
			l.moveTo(end.Add(time.Hour))
			l.advanceAll()
			lives = append(lives, l)
		}
		require.Equal(t, lives[0].sums(), lives[1].sums(), name)
		require.Equal(t, pro.ID, lives[1].sub().PlanID)
	}
}

// untilPaid passes time with immediate success of every payment.
func (l *life) untilPaid(to time.Time) {
	for !l.sub().NextActionAt.After(to) {
		l.moveTo(l.sub().NextActionAt)
		l.advanceAll()
		for t := l.live(""); t != nil; t = l.live("") {
			result := l.about(t.ID)
			result.Answer = answer.Answer{Outcome: answer.Succeeded, Ref: t.ID, Amount: t.Amount, Currency: t.Currency}
			_, _, changes, err := recording.Record(l.store.load(false), result, l.moment())
			require.NoError(l.t, err)
			l.store.write(changes)
		}
	}
	l.moveTo(to)
}

// advanceAll is advance without an account, which cannot separate the changes of one decision.
func (l *life) advanceAll() {
	for range 500 {
		_, changes, err := lifecycle.Advance(l.store.load(false), l.moment())
		require.NoError(l.t, err)
		if l.store.write(changes); !changes.Unfinished {
			return
		}
	}
	require.Fail(l.t, "catching up has no end")
}

// A change that is repeated from a backup has the same invoice and lines, so that a provider gets the same payment.
func TestScheduledChange_HasTheSameIDsAfterARestore(t *testing.T) {
	t.Parallel()
	l := beginWith(t, plans, lifecycle.ChangePlan{Plan: &pro, On: created.Add(week)})
	backup := l.store.clone()
	l.moveTo(created.Add(week))
	made := func(world string, at time.Time) lifecycle.Changes {
		_, changes, err := lifecycle.Advance(
			backup.load(true), lifecycle.Moment{Now: l.now, Real: at, IDs: &ids{world: world}},
		)
		require.NoError(t, err)
		require.Len(t, changes.Invoices.Of(lifecycle.InvoiceCreated), 1)
		return changes
	}

	one, again := made("a", l.real), made("b", l.real.Add(time.Hour))

	first := one.Invoices.Of(lifecycle.InvoiceCreated)[0]
	require.Equal(t, first.ID, again.Invoices.Of(lifecycle.InvoiceCreated)[0].ID)
	require.Equal(t, first.Lines, again.Invoices.Of(lifecycle.InvoiceCreated)[0].Lines)
	require.Equal(t, one.NewTransactions[0].ID, again.NewTransactions[0].ID)
	require.EqualValues(t, 1500, first.Total, "three weeks of 20.00 more")
}

func TestScheduledChange_AtTheBoundaryBelongsToTheNextPeriod(t *testing.T) {
	t.Parallel()
	end := created.AddDate(0, 0, 28)
	l := beginWith(t, plans, lifecycle.ChangePlan{Plan: &pro, Proration: subscription.NextInvoice, On: end})

	l.pass(end.Sub(l.now))

	require.Equal(t, pro.ID, l.sub().PlanID)
	require.Len(t, l.store.invoices, 2, "the renewal bills it, without proration")
	require.EqualValues(t, 3000, l.store.invoices[1].Total)
}

// A payment in progress delays a change until the next period at most.
func TestScheduledChange_WaitsForAPayment(t *testing.T) {
	t.Parallel()
	for name, decided := range map[string]bool{"decided before the period ends": true, "pending for ever": false} {
		l := newLife(t, plans, settings, team, 0)
		l.advance()
		_, err := l.apply(lifecycle.ChangePlan{Plan: &pro, On: created.Add(week)})
		require.NoError(t, err)
		l.pass(2 * week)
		require.Equal(t, team.ID, l.sub().PlanID, name)

		if decided {
			l.result(answer.Succeeded)
			require.Equal(t, pro.ID, l.sub().PlanID, name)
			require.EqualValues(t, 1500, l.store.invoices[1].Total, "from its date on")
			continue
		}
		l.pass(2 * week)
		require.Equal(t, pro.ID, l.sub().PlanID, name)
		require.Empty(t, l.sub().Scheduled)
		require.EqualValues(t, 3000, l.store.invoices[1].Total)
	}
}

// A preview of a scheduled change includes the refunds so far of the money that it would credit.
func TestPreview_ChangeAtADateKnowsWhatWentBack(t *testing.T) {
	t.Parallel()
	l := beginWith(t, plans)
	cmd := lifecycle.ChangePlan{Plan: &pro, On: created.Add(week)}
	state := l.store.load(lifecycle.GivesBack(cmd))
	for id, charge := range state.Captures {
		charge.AmountRefunded = charge.Amount
		state.Captures[id] = charge
	}

	shown, err := foresight.Preview(state, cmd, 1, nil, l.moment())

	require.NoError(t, err)
	require.EqualValues(t, 2250, shown.Upcoming[0].Total, "three weeks at 30.00, and no unused time that is still paid")
}

// A change is dropped if it is impossible at its date, or comes after the end; an archived plan is possible.
func TestScheduledChange_Dropped(t *testing.T) {
	t.Parallel()
	reasons := func(l *life) (out []string) {
		for _, e := range l.store.events {
			if data, ok := e.Data.(event.SubscriptionChangeDropped); ok {
				out = append(out, data.Reason)
			}
		}
		return out
	}
	t.Run("nothing is left to change", func(t *testing.T) {
		t.Parallel()
		l := beginWith(t, plans, lifecycle.ChangePlan{Plan: &pro, On: created.Add(week)})
		l.changePlan(pro, false)
		l.result(answer.Succeeded)
		l.pass(2 * week)
		require.Equal(t, []string{subscribing.ErrPlanUnchanged.Code}, reasons(l))
		require.Empty(t, l.sub().Scheduled)
	})
	t.Run("canceled", func(t *testing.T) {
		t.Parallel()
		l := beginWith(t, plans, lifecycle.ChangePlan{Plan: &pro, On: created.Add(week)},
			lifecycle.ChangePlan{Quantity: 3, On: created.Add(2 * week)})
		l.cancelNow(false)
		require.Equal(t, []string{subscribing.ErrCanceled.Code, subscribing.ErrCanceled.Code}, reasons(l))
		require.Empty(t, l.sub().Scheduled)
	})
	t.Run("archived meanwhile", func(t *testing.T) {
		t.Parallel()
		l := beginWith(t, plans, lifecycle.ChangePlan{Plan: &pro, On: created.Add(week)})
		archived := pro
		archived.Active = false
		l.store.plans[pro.Ref()] = archived
		l.pass(2 * week)
		require.Empty(t, reasons(l))
		require.Equal(t, pro.ID, l.sub().PlanID)
	})
}

// A change now keeps the scheduled ones, which are listed in order with the one at the end of the period.
func TestScheduledChange_ListAndWithdraw(t *testing.T) {
	t.Parallel()
	l := beginWith(t, plans,
		lifecycle.ChangePlan{Quantity: 5, On: created.Add(6 * week)},
		lifecycle.ChangePlan{Quantity: 3, On: created.Add(week)},
		lifecycle.ChangePlan{Plan: &pro, AtPeriodEnd: true},
		lifecycle.ChangePlan{Quantity: 2})
	quantities := func() (out []int64) {
		for _, c := range l.sub().AllChanges() {
			out = append(out, c.Quantity)
		}
		return out
	}
	require.Equal(t, []int64{3, 0, 5}, quantities())
	require.Equal(t, subscription.AtPeriodEnd, l.sub().AllChanges()[1].ID)
	withdraw := func(id string) error {
		_, err := l.apply(lifecycle.WithdrawChange{ID: id})
		return err
	}

	require.NoError(t, withdraw(subscription.AtPeriodEnd))
	require.Empty(t, l.sub().PendingPlanID)
	require.NoError(t, withdraw(l.sub().Scheduled[0].ID))
	require.Equal(t, []int64{5}, quantities())
	require.Equal(t, subscribing.ErrChangeNotFound, withdraw(subscription.AtPeriodEnd))

	full := lifecycle.ChangePlan{Quantity: 7, On: created.Add(week)}
	for range subscription.MaxScheduledChanges - 1 {
		_, err := l.apply(full)
		require.NoError(t, err)
	}
	_, err := l.apply(full)
	require.Equal(t, subscribing.ErrTooManyChanges, err)
}

func TestScheduleChange_Refusals(t *testing.T) {
	t.Parallel()
	dollars, archived, addOn := pro, pro, pro
	dollars.Currency, archived.Active, addOn.AddOn = "USD", false, true
	on := created.Add(week)
	for name, c := range map[string]struct {
		change lifecycle.ChangePlan
		code   string
	}{
		"now":              {lifecycle.ChangePlan{Plan: &pro, On: created}, "effective_at_out_of_range"},
		"in ten years":     {lifecycle.ChangePlan{Plan: &pro, On: created.AddDate(10, 0, 0)}, "effective_at_out_of_range"},
		"another currency": {lifecycle.ChangePlan{Plan: &dollars, On: on}, "currency_mismatch"},
		"archived":         {lifecycle.ChangePlan{Plan: &archived, On: on}, "plan_inactive"},
		"an add-on":        {lifecycle.ChangePlan{Plan: &addOn, On: on}, "plan_is_add_on"},
		"below one":        {lifecycle.ChangePlan{Quantity: -1, On: on}, "quantity_out_of_range"},
	} {
		l := beginWith(t, plans)
		_, err := l.apply(c.change)
		require.Equal(t, c.code, fault.From(err).Code, name)
	}
	l := beginWith(t, plans)
	l.schedule(lifecycle.Cancel{})
	_, err := l.apply(lifecycle.ChangePlan{Plan: &pro, On: l.sub().CurrentPeriod.End})
	require.Equal(t, subscribing.ErrAfterEnd, err)
}

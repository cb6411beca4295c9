package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/access"
	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/foresight"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// pended returns a life that paid for a month of team, and a week later asks for pro once that is paid: 2250 - 750.
func pended(t *testing.T) *life {
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(week)
	l.must(lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.PendPayment})
	require.Equal(t, team.ID, l.sub().PlanID)
	require.Equal(t, l.now.Add(subscription.TimeToPay), l.sub().PendingChange.Until)
	require.Equal(t, subscription.ActionPendingChangeEnd, l.sub().NextAction)
	require.Equal(t, []money.Minor{1000, 1500}, l.totals())
	return l
}

// waiting returns the invoice that the change waits for.
func (l *life) waiting() invoice.Invoice { return l.store.invoices[len(l.store.invoices)-1] }

func TestPendingChange_IsMadeAsBilledOnceItIsPaid(t *testing.T) {
	t.Parallel()
	for name, pays := range map[string]func(l *life){
		"by the first attempt": func(l *life) { l.result(answer.Succeeded) },
		"by an attempt that takes long": func(l *life) {
			l.pass(22 * time.Hour)
			l.result(answer.Succeeded)
		},
		"by another payment method": func(l *life) {
			l.result(answer.Declined)
			l.pass(time.Hour)
			l.newMethod(true)
			l.advance()
			l.result(answer.Succeeded)
		},
		"by a person": func(l *life) {
			l.result(answer.Declined)
			l.must(lifecycle.Pay{})
			l.result(answer.Succeeded)
		},
		"elsewhere": func(l *life) {
			l.result(answer.Declined)
			l.must(lifecycle.MarkPaid{InvoiceID: l.waiting().ID, Method: "cash"})
		},
	} {
		l := pended(t)
		period := l.sub().CurrentPeriod

		pays(l)

		s := l.sub()
		require.Equal(t, []any{pro.ID, subscription.Active}, []any{s.PlanID, s.Status}, name)
		require.Nil(t, s.PendingChange, name)
		require.Equal(t, period, s.CurrentPeriod, name)
		require.Equal(t, []money.Minor{1000, 1500}, l.totals(), name)
		require.Equal(t, 1, l.account.events[event.TypeSubscriptionPlanChanged], name)
		require.Equal(t, pro.ID, l.access().PlanID, name)
		l.until(period.End)
		require.Equal(t, []money.Minor{1000, 1500, 3000}, l.totals(), name)
	}
}

func TestPendingChange_IsWithdrawnWithItsInvoice(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(l *life){
		"after its time": func(l *life) {
			l.result(answer.Declined)
			l.until(l.sub().PendingChange.Until)
			require.Equal(t, 1, l.account.events[event.TypeSubscriptionChangeDropped])
		},
		"after its time, while a payer is asked": func(l *life) { l.until(l.sub().PendingChange.Until) },
		"by a person":                            func(l *life) { l.must(lifecycle.WithdrawChange{ID: l.sub().PendingChange.ID}) },
		"with its invoice":                       func(l *life) { l.must(lifecycle.VoidInvoice{InvoiceID: l.waiting().ID}) },
	} {
		l := pended(t)
		balance := l.store.balance

		ends(l)

		s := l.sub()
		require.Equal(t, []any{team.ID, subscription.Active}, []any{s.PlanID, s.Status}, name)
		require.Nil(t, s.PendingChange, name)
		require.Equal(t, invoice.Void, l.waiting().Status, name)
		require.Equal(t, balance, l.store.balance, name)
		require.Zero(t, l.account.events[event.TypeSubscriptionPastDue], name)
		if live := l.live(""); live != nil { // money that comes afterwards goes back
			l.answer(live.ID, answer.Succeeded)
			require.EqualValues(t, 1500, l.refunded(), name)
			require.Equal(t, team.ID, l.sub().PlanID, name)
		}
		l.must(lifecycle.ChangePlan{Plan: &pro})
		require.Equal(t, pro.ID, l.sub().PlanID, "%s: what was withdrawn counts for no later change", name)
	}
}

// Its attempts are declined one after the other, and the subscription stays active, with all that is paid for.
func TestPendingChange_ThatIsDeclinedChangesNothing(t *testing.T) {
	t.Parallel()
	s := settings
	s.Dunning.Retry.Retries = 0
	l := begun(t, s)
	l.result(answer.Succeeded)
	l.pass(week)
	before := offered(l.sub())
	l.must(lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.PendPayment})

	l.result(answer.Declined)

	require.Equal(t, before, offered(l.sub()))
	require.Equal(t, subscription.Active, l.sub().Status, "that was the last attempt")
	got := l.access()
	require.Equal(t, []any{true, access.Paid, team.ID}, []any{got.Allowed, got.Reason, got.PlanID})
}

func TestPendingChange_ThatCostsNothingIsMadeAtOnce(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]lifecycle.ChangePlan{
		"a downgrade":           {Plan: &free},
		"another quantity":      {Quantity: 3}, // flat prices ignore it
		"an upgrade by balance": {Plan: &pro},
	} {
		l := begun(t, settings)
		l.result(answer.Succeeded)
		l.pass(week)
		l.store.balance = 0
		if name == "an upgrade by balance" {
			l.store.balance = 1500
		}
		change.Behavior = subscription.PendPayment
		state, _, err := lifecycle.Apply(l.load(false).state, change, l.moment())
		require.NoError(t, err, name)
		require.Nil(t, state.Subscription.PendingChange, name)
		if change.Plan != nil {
			require.Equal(t, change.Plan.ID, state.Subscription.PlanID, name)
		} else {
			require.EqualValues(t, 3, state.Subscription.Quantity, name)
		}
	}
}

func TestPendingChange_OfTheInterval(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(week)
	asked := l.now
	before := offered(l.sub())
	l.must(lifecycle.ChangePlan{Plan: &yearly, Behavior: subscription.PendPayment})
	require.Equal(t, before, offered(l.sub()))
	l.pass(5 * time.Hour)

	l.result(answer.Succeeded)

	require.Equal(t, asked, l.sub().CurrentPeriod.Start, "as billed")
	require.Equal(t, asked.AddDate(1, 0, 0), l.sub().CurrentPeriod.End)
	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
	require.Equal(t, []money.Minor{1000, 12000 - 750}, l.totals())
	require.Equal(t, 2, l.sub().PeriodIndex)
}

// The change to a year opens the period after the present one. Once it is withdrawn, the renewal opens and bills it.
func TestPendingChange_OfTheIntervalIsWithdrawn(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(week)
	l.must(lifecycle.ChangePlan{Plan: &yearly, Behavior: subscription.PendPayment})
	l.result(answer.Declined)

	l.until(l.sub().CurrentPeriod.End)

	require.Equal(t, []money.Minor{1000, 1000}, l.totals())
	require.Equal(t, 2, l.sub().PeriodIndex)
	l.failToPastDue()
	l.must(lifecycle.Pay{})
	l.result(answer.Succeeded)
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, []money.Minor{1000, 1000}, l.totals(), "the void invoice of the change bills no period")
}

func TestPendingChange_EndsBeforeARenewalAndAScheduledChange(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	end := l.sub().CurrentPeriod.End
	l.until(end.Add(-3 * time.Hour))
	l.must(lifecycle.ChangePlan{Plan: &free, On: end.Add(-time.Hour)})
	l.must(lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.PendPayment})
	require.Equal(t, end.Add(-time.Hour), l.sub().PendingChange.Until)

	l.until(end.Add(-time.Hour))
	require.Nil(t, l.sub().PendingChange)
	require.Equal(t, free.ID, l.sub().PlanID)

	l.must(lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.PendPayment})
	require.Equal(t, end, l.sub().PendingChange.Until)
	l.until(end)
	require.Equal(t, []any{free.ID, 2}, []any{l.sub().PlanID, l.sub().PeriodIndex})
}

// No worker was there when the time to pay ended: the payer may have paid in time.
func TestPendingChange_WaitsForAnAnswerAfterAnOutage(t *testing.T) {
	t.Parallel()
	l := pended(t)
	until := l.sub().PendingChange.Until
	l.moveTo(until.Add(time.Hour))
	l.advance()
	require.Equal(t, l.now.Add(15*time.Minute), l.sub().PendingChange.Until)

	l.result(answer.Succeeded)

	require.Equal(t, pro.ID, l.sub().PlanID)
}

func TestPendingChange_EndsWithItsSubscription(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(l *life){
		"canceled":                func(l *life) { l.must(lifecycle.Cancel{Immediate: true}) },
		"canceled with a refund":  func(l *life) { l.must(lifecycle.Cancel{Immediate: true, RefundUnused: true}) },
		"its customer is deleted": func(l *life) { l.erase(); l.advance() },
	} {
		l := pended(t)
		live := l.live("")

		ends(l)

		require.Equal(t, subscription.Canceled, l.sub().Status, name)
		require.Nil(t, l.sub().PendingChange, name)
		require.Equal(t, invoice.Void, l.store.invoices[1].Status, name)
		l.answer(live.ID, answer.Succeeded)
		want := money.Minor(1500)
		if name == "canceled with a refund" {
			want += 750
		}
		require.Equal(t, want, l.refunded(), name)
	}
}

func TestPendingChange_RefusesOtherChanges(t *testing.T) {
	t.Parallel()
	l := pended(t)
	for name, cmd := range map[string]lifecycle.Command{
		"another change":                lifecycle.ChangePlan{Plan: &free},
		"the same":                      lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.PendPayment},
		"one at the end of the period":  lifecycle.ChangePlan{Plan: &free, AtPeriodEnd: true},
		"one at a date":                 lifecycle.ChangePlan{Plan: &free, On: l.now.Add(time.Hour)},
		"another anchor":                lifecycle.MoveAnchor{},
		"without a coupon":              lifecycle.RemoveCoupon{CouponID: "coup_1"},
		"another version":               lifecycle.Migrate{Version: 2, To: &plan.Plan{ID: team.ID, Version: 2}},
		"its invoice as uncollectible":  lifecycle.MarkUncollectible{InvoiceID: l.waiting().ID},
		"a credit note for its invoice": lifecycle.CreditInvoice{Invoice: l.waiting()},
	} {
		_, err := l.apply(cmd)
		require.ErrorIs(t, err, subscribing.ErrChangePending, name)
	}
	l.must(lifecycle.Cancel{})
	l.must(lifecycle.Reactivate{})
	l.result(answer.Succeeded)
	require.Equal(t, pro.ID, l.sub().PlanID)
}

func TestPendingChange_IsRefused(t *testing.T) {
	t.Parallel()
	unpaid := begun(t, settings)
	unpaid.result(answer.Declined)
	waits := paidHalf(t)
	waits.must(lifecycle.ChangePlan{Plan: &pro, Proration: subscription.NextInvoice})
	paid := paidHalf(t)
	pend := lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.PendPayment}
	later, dated, waiting := pend, pend, pend
	later.AtPeriodEnd, dated.On, waiting.Proration = true, paid.now.Add(time.Hour), subscription.NextInvoice
	for name, c := range map[string]struct {
		l    *life
		cmd  lifecycle.ChangePlan
		code string
	}{
		"beside an unpaid invoice":     {unpaid, pend, "subscription_invoice_open"},
		"beside lines that wait":       {waits, lifecycle.ChangePlan{Plan: &yearly, Behavior: subscription.PendPayment}, "prorations_waiting"},
		"at the end of the period":     {paid, later, "fields_exclusive"},
		"at a date":                    {paid, dated, "fields_exclusive"},
		"where its lines would wait":   {paid, waiting, "fields_exclusive"},
		"in a way that does not exist": {paid, lifecycle.ChangePlan{Plan: &pro, Behavior: "other"}, "payment_behavior_unknown"},
	} {
		_, err := c.l.apply(c.cmd)
		require.Equal(t, c.code, fault.From(err).Code, name)
	}
}

func TestPendingChange_PreviewIsWhatIsBilled(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(week)
	cmd := lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.PendPayment}

	shown, err := foresight.Preview(l.store.load(true), cmd, 1, nil, l.moment())
	require.NoError(t, err)
	now, err := foresight.Preview(l.store.load(true), lifecycle.ChangePlan{Plan: &pro}, 1, nil, l.moment())
	require.NoError(t, err)

	require.Equal(t, team.ID, shown.State.Subscription.PlanID)
	require.NotNil(t, shown.State.Subscription.PendingChange)
	require.NotEqual(t, now.Quote, shown.Quote, "a token is of one of them")
	require.Equal(t, now.Quote.Invoices, shown.Quote.Invoices)
	require.EqualValues(t, 3000, shown.Upcoming[0].Total, "as if it were paid")
	l.must(cmd)
	require.Equal(t, shown.Issued[0].Total, l.waiting().Total)
	require.Len(t, l.waiting().Lines, len(shown.Issued[0].Lines))
}

// A build from before changes could wait has recorded the payment.
func TestPendingChange_ThatWasPaidUnseenIsMade(t *testing.T) {
	t.Parallel()
	l := pended(t)
	state := l.load(false).state
	state.Paid = append(state.Paid, state.Open[0].Settle(l.now))
	state.Open, state.Pending, state.Subscription.CollectingInvoiceID = nil, nil, ""
	at := l.moment()
	at.Now = state.Subscription.PendingChange.Until

	made, _, err := lifecycle.Advance(state, at)

	require.NoError(t, err)
	require.Equal(t, pro.ID, made.Subscription.PlanID)
	require.Nil(t, made.Subscription.PendingChange)
}

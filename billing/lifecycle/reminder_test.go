package lifecycle_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/costing"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// reminded returns a subscription with one paid invoice, and its payer's method.
func reminded(t *testing.T, days int, method string) *life {
	t.Helper()
	chosen := settings
	chosen.RenewalReminderDays = days
	l := newLife(t, plans, chosen, team, 0)
	l.store.customer.PaymentMethod, l.store.customer.PaymentDetails = method, customer.PaymentDetails{
		PhoneNumber: "+237670000001", PaymentMethodToken: "pm_1",
	}
	l.until(l.now)
	l.result(answer.Succeeded)
	return l
}

func reminders(l *life) (found []event.SubscriptionRenewalReminder) {
	for _, e := range l.store.events {
		if said, ok := e.Data.(event.SubscriptionRenewalReminder); ok {
			found = append(found, said)
		}
	}
	return found
}

// A renewal that its payer must confirm is announced once, the chosen days before; a card's is not.
func TestAdvance_RenewalReminder(t *testing.T) {
	t.Parallel()
	for _, days := range []int{1, 3} {
		l := reminded(t, days, "mobile_money_mtn")
		renews := l.sub().CurrentPeriod.End
		require.Equal(t, subscription.ActionRenewalReminder, l.sub().NextAction)
		require.Equal(t, renews.AddDate(0, 0, -days), l.sub().NextActionAt)
		l.until(l.sub().NextActionAt.Add(-1))
		require.Empty(t, reminders(l))
		l.until(l.sub().NextActionAt)
		require.Equal(t, subscription.ActionRenewal, l.sub().NextAction)
		amount, err := team.Total(1)
		require.NoError(t, err)
		require.Equal(t, []event.SubscriptionRenewalReminder{{
			Subscription: event.OfSubscription("sub_1", "cust_1"), PlanID: team.ID, RenewsAt: renews.Unix(),
			Amount: int64(amount), Currency: string(team.Currency),
		}}, reminders(l))
		l.until(renews)
		require.Len(t, reminders(l), 1)
		require.Equal(t, subscription.ActionRenewalReminder, l.sub().NextAction, "and so is the one after it")
	}
	for _, c := range []struct {
		days   int
		method string
	}{{1, "card"}, {0, "mobile_money_mtn"}} {
		l := reminded(t, c.days, c.method)
		require.Equal(t, subscription.ActionRenewal, l.sub().NextAction, c)
		l.until(l.sub().CurrentPeriod.End)
		require.Empty(t, reminders(l), c)
	}
}

// The announced amount equals the charged one after any former period: a trial that is shorter or longer than an
// interval, or a first period that ends at a later anchor.
func TestAdvance_RenewalReminderOfAWholePeriod(t *testing.T) {
	t.Parallel()
	days := func(n int) subscribing.NewInput { return subscribing.NewInput{TrialDays: &n} }
	for name, in := range map[string]subscribing.NewInput{
		"short trial": days(14), "trial": days(30), "long trial": days(60),
		"short period": {Anchor: created.AddDate(0, 0, 14)},
		"free period":  {Anchor: created.AddDate(0, 0, 14), Proration: subscription.NoProration},
	} {
		chosen := settings
		chosen.RenewalReminderDays = 1
		l := newLifeOf(t, plans, chosen, team, in)
		l.store.customer.PaymentMethod = "mobile_money_mtn"
		l.until(created)
		if l.payable() != nil {
			l.result(answer.Succeeded)
		}
		l.until(l.sub().CurrentPeriod.End)
		said := reminders(l)
		require.Len(t, said, 1, name)
		totals := l.totals()
		require.EqualValues(t, totals[len(totals)-1], said[0].Amount, name)
		require.EqualValues(t, 1000, said[0].Amount, name)
	}
}

// A reminder is not sent after its renewal.
func TestAdvance_RenewalReminderTooLate(t *testing.T) {
	t.Parallel()
	l := reminded(t, 1, "mobile_money_mtn")
	l.late = true
	l.until(l.sub().CurrentPeriod.End)
	require.Empty(t, reminders(l))
	require.True(t, slices.ContainsFunc(l.store.events, func(e event.Event) bool {
		return e.Type() == event.TypeSubscriptionRenewed
	}))
}

// A customer who changes from a card to mobile money within the reminder's days is reminded at once.
func TestAdvance_RenewalReminderOfANewMethod(t *testing.T) {
	t.Parallel()
	l := reminded(t, 2, "card")
	l.until(l.sub().CurrentPeriod.End.AddDate(0, 0, -1))
	require.Empty(t, reminders(l))
	l.store.customer.PaymentMethod = "mobile_money_mtn"
	l.advance() // the change wakes the workflow
	require.Len(t, reminders(l), 1)
}

// A renewal that does not come, is free or is past due is not announced; a waiting plan is announced with its price.
func TestAdvance_RenewalReminderOnlyOfWhatIsCharged(t *testing.T) {
	t.Parallel()
	s := subscription.Subscription{}
	facts := costing.Facts{Plan: team, Settings: subscription.Settings{RenewalReminderDays: 1}}
	_, ok := subscribing.With(s, facts).ReminderAt(true)
	require.False(t, ok)

	l := reminded(t, 1, "mobile_money_mtn")
	sub, facts := l.sub(), costing.Facts{Plan: team, Settings: subscription.Settings{RenewalReminderDays: 1}}
	_, ok = subscribing.With(sub, facts).ReminderAt(true)
	require.True(t, ok)
	ending := sub
	ending.CancelAtPeriodEnd = true
	owing := sub
	owing.Status = subscription.PastDue
	for _, other := range []subscription.Subscription{ending, owing} {
		_, ok := subscribing.With(other, facts).ReminderAt(true)
		require.False(t, ok)
	}
	free := team
	free.Prices = nil
	facts.Pending = &free
	_, ok = subscribing.With(sub, facts).ReminderAt(true)
	require.False(t, ok)
	d, err := subscribing.With(sub, costing.Facts{Plan: free, Pending: &team}).AnnounceRenewal(l.now)
	require.NoError(t, err)
	require.Equal(t, team.ID, d.Events[0].Data.(event.SubscriptionRenewalReminder).PlanID)
}

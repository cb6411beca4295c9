package subscription

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
)

// life plays the caller of the rules: it makes decisions true in memory, the way one transaction does in the database,
// and checks after each what must hold in every life.
type life struct {
	t        require.TestingT
	s        Subscription
	plans    map[string]plan.Plan
	settings Settings
	now      time.Time
	late     bool // work is done when somebody comes to it, not at the instant it is due

	invoices   []invoice.Invoice
	collecting string
	balance    money.Minor
	captured   money.Minor
	refunded   money.Minor
	failed     []string // invoices of attempts that have failed and may still succeed
	uses       []use
	billed     bool // the current period is
	events     map[event.Type]int
	spells     int // of being past due
	// activations are the first one and every recovery.
	activations int
}

// use is a stretch of a period on one plan, which is what the customer owes in the end.
type use struct {
	plan     plan.Plan
	period   period.Period
	from, to time.Time
}

func (u use) cost() money.Minor {
	var sum money.Minor
	for _, price := range u.plan.Prices {
		start := u.period.Start.Unix()
		sum += money.Part(price.Amount, u.from.Unix()-start, u.to.Unix()-start, u.period.Seconds())
	}
	return sum
}

func newLife(t require.TestingT, plans []plan.Plan, settings Settings, first plan.Plan, trialDays int) *life {
	l := &life{t: t, plans: map[string]plan.Plan{}, settings: settings, now: created, events: map[event.Type]int{}}
	for _, p := range plans {
		l.plans[p.ID] = p
	}
	s, events, err := Create(first, NewInput{ID: "sub_1", CustomerID: "cust_1", TrialDays: &trialDays, TimeZone: "Europe/Paris", Now: created})
	require.NoError(t, err)
	require.Equal(t, event.SubscriptionCreated, events[0].Type)
	l.s = s
	return l
}

func (l *life) open() []invoice.Invoice {
	return slices.DeleteFunc(slices.Clone(l.invoices), func(i invoice.Invoice) bool { return i.Status != invoice.Open })
}

func (l *life) facts() Facts {
	f := Facts{Plan: l.plans[l.s.PlanID], Settings: l.settings, Open: l.open()}
	if p, ok := l.plans[l.s.PendingPlanID]; ok {
		f.Pending = &p
	}
	for _, inv := range l.invoices {
		current := l.s.CurrentPeriod
		if inv.Status == invoice.Paid && inv.Period.End.After(current.Start) && inv.Period.Start.Before(current.End) {
			f.Paid = append(f.Paid, inv)
		}
	}
	return f
}

func (l *life) find(id string) *invoice.Invoice {
	for i := range l.invoices {
		if l.invoices[i].ID == id {
			return &l.invoices[i]
		}
	}
	return nil
}

// take makes a decision true.
func (l *life) take(in input, d Decision) {
	before := l.s
	require.Contains(l.t, transitions[before.Status][in], d.Subscription.Status, "%s × %s", before.Status, in)
	if in == cancelNow && len(d.Issue) > 0 {
		require.False(l.t, d.Subscription.PaidThrough.After(l.now), "paid through time that was given back")
	} else {
		require.False(l.t, d.Subscription.PaidThrough.Before(before.PaidThrough), "paidThrough moved back")
	}
	l.s = d.Subscription
	l.follow(before, in)
	for _, e := range d.Events {
		l.events[e.Type]++
	}
	for _, draft := range d.Issue {
		require.NotEqual(l.t, Trialing, l.s.Status, "a trial is free")
		l.issue(draft)
	}
	if d.StopCollection {
		for i := range l.invoices {
			if l.invoices[i].Status == invoice.Open {
				l.step(&l.invoices[i], collection.Stop)
			}
		}
	}
}

// follow keeps account of what is used, from the status, plan and period alone.
func (l *life) follow(before Subscription, in input) {
	current := l.s.CurrentPeriod
	switch {
	case l.s.Status == Canceled:
		return
	case in == periodDue:
		require.Equal(l.t, before.boundary(), current.Start, "periods tile")
		if l.s.NextPeriod > 1 || before.Status != Active || before.NextPeriod > 0 {
			require.Equal(l.t, before.CurrentPeriod.End, current.Start, "periods tile")
		}
		l.billed = l.s.Status != PastDue || l.settings.PastDueBilling == AccruePastDue
		if l.billed {
			l.uses = append(l.uses, use{l.plans[l.s.PlanID], current, current.Start, current.End})
		}
	case in == changePlan && l.s.PlanID != before.PlanID && before.NextPeriod > 0:
		at := l.now.Truncate(time.Second)
		if current != before.CurrentPeriod {
			require.Equal(l.t, at, current.Start, "a period restarts now")
		}
		if l.billed && len(l.uses) > 0 {
			l.uses[len(l.uses)-1].to = at
		}
		l.billed = l.billed || len(l.plans[before.PlanID].Lines(current)) == 0
		if l.billed {
			l.uses = append(l.uses, use{l.plans[l.s.PlanID], current, at, current.End})
		}
	case before.Status == PastDue && l.s.Status == Active && !l.billed:
		l.billed = true
		l.uses = append(l.uses, use{l.plans[l.s.PlanID], current, current.Start, current.End})
	}
	if before.Status != PastDue && l.s.Status == PastDue {
		l.spells++
	}
	if before.ActivatedAt.IsZero() && !l.s.ActivatedAt.IsZero() || before.Status == PastDue && l.s.Status == Active {
		l.activations++
	}
}

func (l *life) issue(draft invoice.Draft) {
	id := fmt.Sprintf("in_%d", len(l.invoices)+1)
	if draft.Replaces != "" {
		old := l.find(draft.Replaces)
		void, back, effect, err := old.Withdraw(id, l.s.Status == Canceled, l.now)
		if effect == collection.CancelAttempt {
			l.failed = append(l.failed, old.ID)
		}
		require.NoError(l.t, err)
		*old = void
		l.balance += back.Amount
		if l.collecting == old.ID {
			l.collecting = ""
		}
	}
	inv, change, err := draft.Issue(invoice.Issuing{ID: id, Currency: l.s.Currency, Balance: l.balance, Now: l.now})
	require.NoError(l.t, err)
	l.balance += change.Amount
	l.refunded += draft.Refund
	l.invoices = append(l.invoices, inv)
	if inv.Status == invoice.Paid {
		l.paid(inv)
	}
}

func (l *life) paid(inv invoice.Invoice) {
	d, err := l.s.Settled(l.facts(), inv, l.now)
	require.NoError(l.t, err)
	l.take(paymentSettled, d)
}

// step brings the collection of an invoice on.
func (l *life) step(inv *invoice.Invoice, kind collection.Kind) (collection.Effect, error) {
	terms := collection.Terms{
		Retry: l.settings.Retry, NoRetry: l.s.Status == PastDue, Stopped: l.s.Status == Canceled, Voided: inv.Status == invoice.Void,
	}
	state, effect, err := collection.Next(inv.Collection, collection.Input{Kind: kind, Now: l.now, Boundary: l.s.CurrentPeriod.End}, terms)
	if err != nil {
		return effect, err
	}
	inv.Collection = state
	switch effect {
	case collection.Settle:
		l.captured += inv.AmountDue
		*inv = inv.Settle(l.now)
		if l.collecting == inv.ID {
			l.collecting = ""
		}
		l.paid(*inv)
	case collection.Exhaust:
		d, err := l.s.Unpaid(state.Attempts, l.now)
		require.NoError(l.t, err)
		l.take(retriesExhausted, d)
	case collection.None, collection.StartAttempt, collection.RefundExtra, collection.CancelAttempt:
	}
	return effect, nil
}

// settle lets the oldest open invoice have its turn, as the end of every transaction does.
func (l *life) settle() {
	if open := l.open(); l.collecting == "" && len(open) > 0 && l.s.Status != Canceled {
		l.collecting = open[0].ID
		_, err := l.step(l.find(l.collecting), collection.Begin)
		require.NoError(l.t, err)
	}
	l.check()
}

// until moves time and does all that becomes due by itself.
func (l *life) until(to time.Time) {
	for {
		var state *collection.State
		if inv := l.find(l.collecting); inv != nil {
			state = &inv.Collection
		}
		action, at := l.s.Next(state, l.settings)
		if action == ActionNone || at.After(to) {
			break
		}
		if l.late {
			l.now = to
		} else if at.After(l.now) {
			l.now = at
		}
		l.act(action)
		l.settle()
	}
	l.now = to
}

func (l *life) act(action Action) {
	switch action {
	case ActionPaymentRetry:
		_, err := l.step(l.find(l.collecting), collection.RetryDue)
		require.NoError(l.t, err)
	case ActionPastDueEnd:
		d, err := l.s.ExpirePastDue(l.settings, l.now)
		require.NoError(l.t, err)
		l.take(pastDueExpired, d)
	case ActionBegin, ActionTrialEnd, ActionRenewal, ActionCancel:
		pending, begin := l.s.PendingPlanID, l.s.unbegun()
		d, err := l.s.OpenPeriod(l.facts(), l.now)
		require.NoError(l.t, err)
		require.Equal(l.t, action == ActionCancel, d.Subscription.Status == Canceled)
		if begin {
			require.Equal(l.t, l.s.PlanID, d.Subscription.PlanID, "the first period is on the plan it was bought with")
			require.Equal(l.t, l.s.CurrentPeriod, d.Subscription.CurrentPeriod)
		}
		if pending != "" && !begin && action != ActionCancel {
			require.Equal(l.t, pending, d.Subscription.PlanID)
			require.Equal(l.t, l.plans[pending].Interval, d.Subscription.Interval)
			require.Empty(l.t, d.Subscription.PendingPlanID)
		}
		l.take(periodDue, d)
	case ActionNone:
	}
}

// check holds after every transaction.
func (l *life) check() {
	var lines, due, want money.Minor
	current := 0
	for _, inv := range l.invoices {
		if inv.Status == invoice.Void {
			continue
		}
		lines += inv.Total
		if inv.Status != invoice.Open {
			continue
		}
		due += inv.AmountDue
		if inv.Period.End.Equal(l.s.CurrentPeriod.End) {
			current++
		}
		if l.s.Status == Active {
			require.NotEqual(l.t, collection.Exhausted, inv.Collection.Phase, "active, but nobody collects %s", inv.ID)
		}
		if l.s.Status == Active || l.s.Status == PastDue {
			require.Equal(l.t, inv.ID == l.collecting, inv.Collection.Phase != collection.Waiting, "one invoice is in collection")
		}
	}
	for _, u := range l.uses {
		want += u.cost()
	}
	require.Equal(l.t, want, lines, "what is billed is what was used")
	require.Equal(l.t, lines, l.captured-l.refunded+due-l.balance, "billed = paid - refunded + due - credit")
	require.GreaterOrEqual(l.t, l.balance, money.Minor(0))
	require.LessOrEqual(l.t, l.balance+l.refunded, l.captured, "more given back than was paid")
	require.LessOrEqual(l.t, current, 1, "one open invoice for the current period")
	require.Equal(l.t, l.spells, l.events[event.SubscriptionPastDue], "one event per spell")
	require.Equal(l.t, l.activations, l.events[event.SubscriptionActive], "activated once, and once a recovery")
	if l.s.Status == PastDue {
		require.NotEmpty(l.t, l.open(), "past due, but nothing to pay")
	}
	if !l.s.ActivatedAt.IsZero() && l.s.NextPeriod > 0 {
		require.False(l.t, l.s.PaidThrough.IsZero(), "activated, but nothing was paid or free")
	}
}

package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/test/scene"
)

// moment is a point in a subscription's life: when it is, and how the provider answers until then.
type moment struct {
	name     string
	at       time.Duration // after the end of the trial
	inFlight bool          // while the provider works on the charge of the trial's end
	answer   scene.Answer  // to the charges until the card is repaired
}

const firstPeriod = 31 * day // of the month that begins at the trial's end

var moments = []moment{
	{name: "before the trial's end", at: -3 * day},
	{name: "at the trial's end", at: 0},
	{name: "while a charge that will succeed is in flight", inFlight: true},
	{name: "while a charge that will be declined is in flight", inFlight: true, answer: scene.Decline},
	{name: "while a charge whose answer gets lost is in flight", inFlight: true, answer: scene.Silent},
	{name: "while the provider has not decided", at: 5 * time.Second, answer: scene.Pend},
	{name: "between retries", at: 2 * day, answer: scene.Decline},
	{name: "in past due", at: 10 * day, answer: scene.Decline},
	{name: "just before a boundary", at: firstPeriod - time.Second},
	{name: "at a boundary", at: firstPeriod},
	{name: "just after a boundary", at: firstPeriod + time.Millisecond},
	{name: "at a boundary in past due", at: firstPeriod, answer: scene.Decline},
}

// interruption is something that happens from outside.
type interruption struct {
	name string
	do   func(*stage, string) *answer // the answer is nil where none is given
	ends bool                         // the subscription is canceled in the end
}

func asking(c func(otherPlan string) command) func(*stage, string) *answer {
	return func(s *stage, other string) *answer { return s.command(c(other)) }
}

func always(c command) func(string) command { return func(string) command { return c } }

var interruptions = []interruption{
	{name: "cancel now", do: asking(always(cancelNow(false))), ends: true},
	{name: "cancel at period end", do: asking(always(cancelAtPeriodEnd())), ends: true},
	{name: "plan change", do: asking(func(other string) command { return changePlan(other, false) })},
	{name: "plan change at period end", do: asking(func(other string) command { return changePlan(other, true) })},
	{name: "pay", do: asking(always(pay()))},
	{name: "card change", do: func(s *stage, _ string) *answer {
		s.Provider.Script = nil
		s.SetMethod(s.t, s.customer, &scene.Card)
		s.wake()
		return nil
	}},
	{name: "callback", do: func(s *stage, _ string) *answer {
		for _, txn := range s.transactions() {
			if txn.Status == payment.Pending && txn.ProviderRef != "" {
				s.Provider.Settle(txn.ID, providers.Succeeded)
			}
			s.env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: txn.ID})
		}
		return nil
	}},
	{name: "continue as new", do: func(s *stage, _ string) *answer {
		s.env.SetContinueAsNewSuggested(true)
		s.wake()
		return nil
	}},
	{name: "worker restart", do: func(s *stage, _ string) *answer {
		s.env.CancelWorkflow()
		return nil
	}},
}

// Every interruption happens at every point of a life. The books are sound afterwards: no payer paid twice, nothing is
// charged after the cancellation, no period is missing, and the subscription continues.
func TestSubscription_EveryInterruptionAtEveryPoint(t *testing.T) {
	t.Parallel()
	for _, m := range moments {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			sc := scene.New(t)
			for _, i := range interruptions {
				sc.Clock.Set(scene.Start)
				interrupt(t, sc, m, i)
			}
		})
	}
}

func interrupt(t *testing.T, sc *scene.Scene, m moment, i interruption) {
	t.Helper()
	what := i.name + " " + m.name
	p := scene.Monthly(3100)
	p.TrialDays = 45 // to 1 March: the first period has 31 days
	s := subscribe(t, sc, p)
	other := sc.Plan(t, scene.Monthly(6200))
	end := scene.Start.AddDate(0, 0, p.TrialDays)

	sc.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return m.answer }
	sc.Provider.During = nil
	var given *answer
	happened := false
	happen := func() { happened = true; given = i.do(s, other.ID) }
	if m.inFlight {
		sc.Provider.During = func(operation, _ string) {
			if operation == "charge" && !happened {
				happen()
			}
		}
	} else {
		s.on(end.Add(m.at), happen)
	}
	if m.answer == scene.Pend { // does not poll every hour for weeks
		s.on(end.Add(day), func() { s.decide(providers.Succeeded) })
	}
	repaired := end.Add(firstPeriod + 5*day)
	s.on(repaired, func() { // the card is good again, and pending charges are decided
		sc.Provider.Script = nil
		s.decide(providers.Succeeded)
		s.SetMethod(t, s.customer, &scene.Card)
		s.wake()
	})
	s.play(end.AddDate(0, 4, 0).Add(time.Hour))

	require.True(t, happened, what)
	refused := false
	if given != nil {
		if refusal := given.refusal(t); refusal != nil {
			refused = true
			require.Contains(t, []string{"subscription_in_trial", "nothing_to_pay", "payment_in_progress"}, refusal.Code, what)
		}
	}
	sub, err := sc.Store.Subscriptions.Get(t.Context(), sc.Env, s.ref.ID)
	require.NoError(t, err)
	if i.ends {
		require.False(t, refused, what)
		require.Equal(t, subscription.Canceled, sub.Status, what)
		require.Nil(t, s.input, "%s: the workflow has completed", what)
	} else {
		require.Equal(t, subscription.Active, sub.Status, what)
		require.Equal(t, end.AddDate(0, 5, 0), sub.PaidThrough, what)
		require.Equal(t, end, sub.AnchorAt, what)
		requireNothingOpen(t, s, what)
	}
	if i.name == "plan change" || i.name == "plan change at period end" {
		require.Equal(t, map[bool]string{true: p.ID, false: other.ID}[refused], sub.PlanID, what)
	}
	s.RequireSound(t)
}

func requireNothingOpen(t *testing.T, s *stage, what string) {
	t.Helper()
	var open int
	require.NoError(t, s.Pool.QueryRow(t.Context(), `select (select count(*) from invoices where subscription_id = $1 and status = 'open')
		+ (select count(*) from transactions where subscription_id = $1 and status = 'pending' and type = 'charge')`, s.ref.ID).Scan(&open))
	require.Zero(t, open, what)
}

// decide settles the payments that the provider has accepted.
func (s *stage) decide(outcome providers.Outcome) {
	for _, txn := range s.transactions() {
		if txn.Status == payment.Pending && txn.ProviderRef != "" {
			s.Provider.Settle(txn.ID, outcome)
		}
	}
}

func (s *stage) transactions() []payment.Transaction {
	s.t.Helper()
	list, _, err := s.Store.Payments.Transactions(s.t.Context(), s.Env, db.TransactionFilter{SubscriptionID: s.ref.ID},
		db.Page{Limit: 100})
	require.NoError(s.t, err)
	return list
}

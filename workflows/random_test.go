package workflows_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/test/scene"
)

// To replay one life: go test ./workflows -run TestSubscription_RandomLives -life 17. To play more of them: -lives
// 1000.
var (
	oneLife = flag.Int("life", -1, "play only the random life with this seed")
	lives   = flag.Int("lives", 24, "how many random lives to play")
)

// Random lives: any plan, any answers of the provider, any interruptions at any times, several at once. The books are
// sound at the end of every life, and once the card is good again every subscription that was not canceled is paid up.
func TestSubscription_RandomLives(t *testing.T) {
	t.Parallel()
	const scenes = 4
	for i := range scenes {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			var options []scene.Option
			if i%2 == 1 {
				options = append(options, scene.Accrue)
			}
			sc := scene.New(t, options...)
			for seed := i; seed < max(*lives, *oneLife+1); seed += scenes {
				if *oneLife < 0 || seed == *oneLife {
					randomLife(t, sc, seed)
				}
			}
		})
	}
}

type randomly struct {
	*rand.Rand
	s     *stage
	other string
	n     int
	log   []string
}

func randomLife(t *testing.T, sc *scene.Scene, seed int) {
	t.Helper()
	r := &randomly{Rand: rand.New(rand.NewPCG(uint64(seed), 1))}
	defer func() {
		if t.Failed() {
			t.Logf("life %d:\n%q", seed, r.log)
			r.tell(t)
		}
	}()
	sc.Clock.Set(scene.Start)
	unit := []period.Unit{period.Day, period.Week, period.Month}[r.IntN(3)]
	p := scene.Every(unit, 1000)
	p.TrialDays = r.IntN(2) * r.IntN(20)
	s := subscribe(t, sc, p)
	r.s, r.other = s, sc.Plan(t, scene.Every([]period.Unit{unit, period.Month}[r.IntN(2)], 500)).ID
	mood := r.mood()
	sc.Provider.During = nil
	sc.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return mood() }

	begun := scene.Start.AddDate(0, 0, p.TrialDays)
	span := map[period.Unit]time.Duration{period.Day: day, period.Week: 7 * day, period.Month: 31 * day}[unit]
	for range 1 + r.IntN(8) {
		at := r.moment(begun, span)
		for range 1 + r.IntN(2) {
			kind := r.IntN(9)
			s.on(at, func() { r.happen(kind, at) })
		}
	}
	healed := begun.Add(5 * span)
	s.on(healed, func() { r.heal() })
	s.on(healed.Add(2*day), func() { r.heal() }) // decides what was pending then
	s.play(healed.Add(2*day + 2*span + time.Hour))

	for _, ref := range sc.Started.Take() { // refunds have workflows of their own
		_, err := sc.Payments.Charge(t.Context(),
			contract.ResolveInput{EnvironmentID: ref.EnvironmentID, TransactionID: ref.ID})
		require.NoError(t, err)
	}
	what := fmt.Sprintf("life %d: %v", seed, r.log)
	sub, err := sc.Store.Subscriptions.Get(t.Context(), sc.Env, s.ref.ID)
	require.NoError(t, err)
	if sub.Status == subscription.Canceled {
		require.Nil(t, s.input, what)
	} else {
		require.Equal(t, subscription.Active, sub.Status, what)
		require.True(t, sub.PaidThrough.After(s.at), what)
		requireNothingOpen(t, s, what)
	}
	s.RequireSound(t)
}

// mood returns the provider's answers until the card is good: mostly well, mostly badly, or strangely.
func (r *randomly) mood() func() scene.Answer {
	moods := [][]scene.Answer{
		{scene.Capture, scene.Capture, scene.Capture, scene.Silent},
		{scene.Decline, scene.Decline, scene.Decline, scene.Capture},
		{scene.Decline},
		{scene.Pend, scene.Pend, scene.Silent, scene.Lose, scene.Refuse, scene.Decline, scene.Capture},
	}
	answers := moods[r.IntN(len(moods))]
	source := rand.New(rand.NewPCG(r.Uint64(), 2)) // charges do not share the order of draws with the script
	return func() scene.Answer { return answers[source.IntN(len(answers))] }
}

// moment returns any time, or the time of a boundary or a retry, or a second next to it.
func (r *randomly) moment(begun time.Time, span time.Duration) time.Time {
	switch r.IntN(3) {
	case 0:
		return begun.Add(time.Duration(r.Int64N(int64(5 * span))))
	case 1:
		return begun.Add(time.Duration(r.IntN(5)) * span).Add(time.Duration(r.IntN(3)-1) * time.Second)
	}
	return begun.Add(time.Duration(r.IntN(8)) * day)
}

func (r *randomly) happen(kind int, at time.Time) {
	s := r.s
	r.n++
	r.log = append(r.log, fmt.Sprintf("%s: %d", at.Format("01-02 15:04:05"), kind))
	switch kind {
	case 0:
		r.command(cancelNow(r.n%2 == 1))
	case 1:
		r.command(cancelAtPeriodEnd())
	case 2:
		r.command(reactivate())
	case 3:
		r.command(changePlan(r.other, r.n%2 == 0))
	case 4:
		r.command(pay())
	case 5:
		s.SetMethod(s.t, s.customer, []*customer.PaymentDetails{&scene.Card, nil}[r.n%2])
		s.wake()
	case 6:
		r.word()
	case 7:
		s.env.SetContinueAsNewSuggested(true)
		s.wake()
	case 8:
		s.env.CancelWorkflow()
	}
}

// command runs a command. The rules may refuse it; any other failure is a fault.
func (r *randomly) command(c command) { r.s.command(c).refusal(r.s.t) }

// the provider sends callbacks about all of its operations; some of those that failed have succeeded after all.
func (r *randomly) word() {
	for i, txn := range r.s.transactions() {
		if txn.Type == payment.Charge && txn.ProviderRef != "" && txn.Status != payment.Success && i%2 == 0 {
			r.s.Provider.Settle(txn.ID, providers.Succeeded)
		}
		r.s.env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: txn.ID})
	}
}

func (r *randomly) heal() {
	r.s.Provider.Script = nil
	r.s.decide(providers.Succeeded)
	r.s.SetMethod(r.s.t, r.s.customer, &scene.Card)
	r.s.wake()
}

// tell logs what is open at the end of a life that failed.
func (r *randomly) tell(t *testing.T) {
	for _, txn := range r.s.transactions() {
		if txn.Status == payment.Pending {
			t.Logf("pending: %+v", txn)
		}
	}
	list, _, err := r.s.Store.Invoices.List(t.Context(), r.s.Env,
		db.InvoiceFilter{SubscriptionID: r.s.ref.ID, Status: invoice.Open}, db.Page{Limit: 100})
	t.Logf("open: %+v %v", list, err)
	sub, err := r.s.Store.Subscriptions.Get(t.Context(), r.s.Env, r.s.ref.ID)
	t.Logf("%+v %v", sub, err)
	for _, c := range r.s.Provider.Calls() {
		for _, txn := range r.s.transactions() {
			if txn.ID == c.TransactionID && txn.Status == payment.Pending {
				t.Logf("%+v", c)
			}
		}
	}
}

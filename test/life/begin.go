package life

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

// Upgraded pays 31.00 for 31 days; after ten of them the plan becomes one of 62.00, for whose rest 42.00 - 21.00 are
// due.
func Upgraded(t *testing.T, answer scene.Answer) *Life {
	t.Helper()
	l := Begin(t, scene.New(t), scene.Monthly(3100))
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if n == 2 {
			return answer
		}
		return scene.Capture
	}
	l.Clock.Set(scene.Start.Add(10 * Day))
	l.Perform(Command{Name: contract.CommandChangePlan, PlanID: l.Plan(t, scene.Monthly(6200)).ID})
	require.Equal(t, money.Minor(2100), l.Invoices()[1].AmountDue)
	return l
}

// Always is a script that gives each request the same answer.
func Always(a scene.Answer) func(int, providers.ChargeRequest) scene.Answer {
	return func(int, providers.ChargeRequest) scene.Answer { return a }
}

// Answering gives a subscription whose renewal meets these answers, and is just due.
func Answering(t testing.TB, answers ...scene.Answer) *Life {
	t.Helper()
	l := Begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if n-2 < len(answers) {
			return answers[n-2]
		}
		return scene.Capture
	}
	l.Until(scene.Start.AddDate(0, 1, 0))
	return l
}

// OnOldClock subscribes a customer whose clock stands a year behind real time.
func OnOldClock(t *testing.T) *Life {
	t.Helper()
	s := scene.New(t)
	clock := testclock.Clock{
		ID: id.New(id.TestClock, scene.Start), Status: testclock.Ready, NowAt: scene.Start, Revision: 1,
		CreatedAt: scene.Start,
	}
	s.InTx(t, func(tx *db.Tx) error { return tx.Clocks.Insert(t.Context(), s.Env, clock) })
	s.Clock.Set(scene.Start.AddDate(1, 0, 0))
	l := &Life{Scene: s, T: t, Payer: s.Customer(t, clock.ID)}
	l.Ref = s.SubscribeAt(t, l.Payer, s.Plan(t, scene.Monthly(1000)), scene.Start)
	l.Reload()
	return l
}

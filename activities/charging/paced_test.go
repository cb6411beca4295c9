package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/pacing"
	"perennial/billing/charging"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// limited is a provider that takes one request a second.
type limited struct{ *scene.Provider }

func (p limited) Capabilities() providers.Capabilities {
	c := p.Provider.Capabilities()
	c.RequestsPerSecond = 1
	return c
}

// turn takes a turn at the account that the life pays through, or returns for how long to wait for one.
func turn(l *life.Life, why charging.Errand) time.Duration {
	wait, _ := l.Payments.Pacing.Take(l.Config.ID, 1, why, time.Time{})
	return wait
}

// A payment whose turn is far away waits in its workflow, and its row says why: a first send is held, a poll is not
// counted. An errand from a callback does not queue.
func TestPaced_CrowdWaitsInItsWorkflows(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.Script = life.Always(scene.Pend)
	l.Payments.Gateway = scene.Gateway{Only: limited{l.Provider}}
	l.Payments.Pacing = &pacing.Pacer{
		Clock: l.Clock.Now, Workers: func(context.Context) (int, error) { return 1, nil },
	}
	require.NoError(t, l.Payments.Pacing.Know(t.Context()))
	crowd := func() { // as long as 30 s are promised to others
		for turn(l, charging.ErrandSend) < 30*time.Second {
		}
	}
	crowd()
	txn := l.OwnCharge(t).ID

	out := l.Check(txn)

	held := l.Transaction(txn)
	require.Empty(t, l.Operations(txn))
	require.WithinRange(t, out.CheckAt, l.Clock.Now().Add(30*time.Second), l.Clock.Now().Add(40*time.Second))
	require.Equal(t, out.CheckAt, held.NextCheckAt)
	require.Contains(t, out.Held.Why, "no more requests a second")
	require.False(t, held.EverSent())

	l.Clock.Set(out.CheckAt)
	l.Check(txn)
	require.Equal(t, []string{"charge"}, l.Operations(txn), "its turn")
	require.Empty(t, l.Transaction(txn).FailureReason)

	l.Clock.Set(l.Transaction(txn).NextCheckAt)
	for wait := time.Duration(0); wait < 40*time.Second; { // a poll's is spread
		wait = turn(l, charging.ErrandPoll)
	}
	checks := l.Transaction(txn).Checks
	out = l.Check(txn)
	require.Equal(t, []string{"charge"}, l.Operations(txn))
	require.Equal(t, checks, l.Transaction(txn).Checks)
	require.GreaterOrEqual(t, out.CheckAt.Sub(l.Clock.Now()), 30*time.Second)

	l.Clock.Add(2 * time.Second) // far from its turn
	l.Provider.Settle(txn, providers.Succeeded)
	l.Receive(providers.Callback{
		EventID: "one", Type: "succeeded", Kind: providers.KindSucceeded, TransactionID: txn, Ref: l.Provider.Reference(txn),
	})
	require.Equal(t, payment.Success, l.Transaction(txn).Status)
}

// A payment that waits on the spot for a turn that is a little late holds no slot and has written nothing.
func TestPaced_WaitsForItsTurnWithoutASlot(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Payments.Gateway = scene.Gateway{Only: limited{l.Provider}}
	l.Payments.Slots = pacing.NewSlots(1, 1)
	l.Payments.Pacing = &pacing.Pacer{
		Clock: l.Clock.Now, Workers: func(context.Context) (int, error) { return 1, nil }, Sleepers: 1,
	}
	require.NoError(t, l.Payments.Pacing.Know(t.Context()))
	for turn(l, charging.ErrandSend) < 30*time.Second {
	}
	txn := l.OwnCharge(t).ID
	l.Clock.Set(l.Check(txn).CheckAt)
	before := l.Transaction(txn)
	require.Zero(t, turn(l, charging.ErrandUrgent), "another was there first")

	began, done := time.Now(), make(chan error, 1)
	go func() {
		in := contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now()}
		_, err := l.Payments.Charge(t.Context(), in)
		done <- err
	}()
	time.Sleep(600 * time.Millisecond)
	require.Empty(t, l.Sends(txn))
	require.Equal(t, before, l.Transaction(txn))
	provider := l.Config.Provider
	require.True(t, l.Payments.Slots.Take(l.Config.ID, provider), "the only slot is free")
	l.Payments.Slots.Release(l.Config.ID, provider)
	require.Empty(t, done)

	require.NoError(t, <-done)
	require.GreaterOrEqual(t, time.Since(began), time.Second)
	require.Equal(t, payment.Success, l.Transaction(txn).Status)
	require.Len(t, l.Sends(txn), 1)
	require.NotZero(t, turn(l, charging.ErrandUrgent), "one turn was taken, and no second")
}

// A change of the accounts does not wake what waits for its turn: all of a crowd would come at once.
func TestPaced_NoChangeOfTheAccountsWakesACrowd(t *testing.T) {
	t.Parallel()
	l, w := life.Begin(t, scene.New(t), scene.Monthly(1000)), &life.Waker{}
	l.Payments.Gateway = scene.Gateway{Only: limited{l.Provider}}
	l.Payments.Pacing = &pacing.Pacer{
		Clock: l.Clock.Now, Workers: func(context.Context) (int, error) { return 1, nil },
	}
	require.NoError(t, l.Payments.Pacing.Know(t.Context()))
	for turn(l, charging.ErrandSend) < 30*time.Second {
	}
	txn := l.OwnCharge(t).ID
	out := l.Check(txn)
	require.True(t, l.Transaction(txn).HeldBack.ForTurn)

	stop := stopsOf(t, l.Scene)["account"]
	require.NoError(t, stop.pause())
	require.NoError(t, stop.resume())

	l.Clock.Add(time.Second)
	require.NotContains(t, w.Pass(t, l.Scene), "check  "+txn)
	require.Equal(t, out.CheckAt, l.Transaction(txn).NextCheckAt)
	held, err := l.Store.Payments.HeldTransactions(t.Context(), l.Env, 10)
	require.NoError(t, err)
	require.Empty(t, held, "nor the end of a stop")

	l.Check(txn) // a person asks for a look-up
	require.Equal(t, out.CheckAt, l.Transaction(txn).NextCheckAt, "it keeps its turn")
	l.Clock.Set(out.CheckAt)
	l.Check(txn)
	require.Equal(t, []string{"charge"}, l.Operations(txn))
}

// A search that waits for the account's limit says so, and names what it waits for; also for a charge that was sent
// once before, which is not held back. No check is counted.
func TestPaced_SearchSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]bool{"never sent": false, "sent before": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Begin(t, scene.New(t), scene.Monthly(1000))
			l.Collecting()
			txn := l.Last().ID
			if sent {
				l.Provider.Script = life.Always(scene.Lose)
				l.Check(txn)
				l.Provider.Script = nil
			}
			l.Payments.Gateway = scene.Gateway{Only: limited{l.Provider}}
			l.Payments.Pacing = &pacing.Pacer{
				Clock: l.Clock.Now, Workers: func(context.Context) (int, error) { return 1, nil },
			}
			l.Restore()
			l.Check(txn)
			l.Clock.Add(time.Minute)
			require.NoError(t, l.Payments.Pacing.Know(t.Context()))
			for turn(l, charging.ErrandSend) < 30*time.Second {
			}
			before, asked := l.Transaction(txn), l.Operations(txn)

			out := l.Check(txn)

			waits := l.Transaction(txn)
			require.Equal(t, asked, l.Operations(txn))
			require.Contains(t, waits.FailureReason, "PostgreSQL was restarted, or restored")
			require.Contains(t, waits.FailureReason, l.Config.ID)
			require.Contains(t, waits.FailureReason, "no more requests a second")
			require.Equal(t, before.Checks, waits.Checks)
			require.Equal(t, sent, waits.HeldBack.At.IsZero())
			require.Equal(t, sent, out.Held.Why == "")
			require.WithinRange(t, waits.NextCheckAt, l.Clock.Now().Add(30*time.Second), l.Clock.Now().Add(40*time.Second))
			require.Equal(t, waits.NextCheckAt, out.CheckAt)

			l.Clock.Set(out.CheckAt)
			l.Until(l.Clock.Now().Add(time.Minute))
			require.Equal(t, payment.Success, l.Transaction(txn).Status)
			require.Equal(t, 1, l.Provider.Captures()[txn])
		})
	}
}

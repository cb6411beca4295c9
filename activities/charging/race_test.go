package charging_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// Many workers record the same answer while commands change the same subscription: there is no deadlock, one
// settlement, and each outcome is one that some serial order could have had.
func TestRecord_RacesWithCommands(t *testing.T) {
	t.Parallel()
	for round := range 3 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			l := life.Answering(t, scene.Pend)
			txn := l.Last()
			l.Provider.Settle(txn.ID, providers.Succeeded)
			other := l.Plan(t, scene.Monthly(2000))

			ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
			defer stop()
			group, ctx := errgroup.WithContext(ctx)
			barrier := make(chan struct{})
			var performed atomic.Int64
			for i := range 16 {
				group.Go(func() error {
					<-barrier
					if i%2 == 0 {
						return l.CheckUntilSettled(ctx, txn.ID)
					}
					commands := []life.Command{
						{Name: contract.CommandCancel}, {Name: contract.CommandReactivate}, {Name: contract.CommandPay},
						{Name: contract.CommandChangePlan, PlanID: other.ID},
					}
					refusal, err := l.CommandUntilJudged(ctx, commands[i/2%len(commands)])
					if refusal == nil && err == nil {
						performed.Add(1)
					}
					return err
				})
			}
			close(barrier)
			require.NoError(t, group.Wait())

			l.Reload()
			l.Until(l.Clock.Now())
			require.Equal(t, payment.Success, l.Transactions()[1].Status)
			require.Equal(t, invoice.Paid, l.Invoices()[1].Status)
			require.Equal(t, 1, l.Provider.Captures()[txn.ID])
			require.GreaterOrEqual(t, performed.Load(), int64(2), "a cancellation at period end is never refused")
			changed := 0
			for _, e := range l.Events() {
				if e == string(event.TypeSubscriptionUpdated) {
					changed++
				}
			}
			require.LessOrEqual(t, int64(changed), performed.Load(), "what was refused changed nothing")
			l.Sound()
		})
	}
}

// Many workers send the same charge at once, as after a time-out of an activity that had not ended: one key, one
// capture.
func TestCharge_SentByManyWorkers(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.Due()
	txn := l.Snap.Live.TransactionID
	var group errgroup.Group
	for range 16 {
		group.Go(func() error { return l.CheckUntilSettled(t.Context(), txn) })
	}
	require.NoError(t, group.Wait())
	require.Equal(t, 1, l.Provider.Captures()[txn])
	keys := map[string]bool{}
	for _, c := range l.Provider.Calls() {
		if c.TransactionID == txn && c.Operation == "charge" {
			keys[c.Key] = true
		}
	}
	require.Len(t, keys, 1)
	l.Reload()
	l.Sound()
}

// A cancel between the mark and the send finds the charge marked and never treats it as unsent.
func TestCancel_BetweenMarkAndResponse(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.Due()
	txn := l.Snap.Live.TransactionID
	var once sync.Once
	l.Provider.During = func(op, _ string) {
		once.Do(func() {
			require.Equal(t, "charge", op)
			refusal, err := l.CommandUntilJudged(t.Context(), life.Command{Name: contract.CommandCancel, ImmediateEffect: true})
			require.NoError(t, err)
			require.Nil(t, refusal)
		})
	}
	out, err := l.Payments.Charge(t.Context(),
		contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now()})
	require.NoError(t, err)
	require.Equal(t, payment.Success, out.Status)
	require.True(t, out.Snapshot.Finished)
	require.Equal(t, invoice.Paid, l.Invoices()[1].Status, "what was charged before the cancel is kept")
	l.Sound()
}

package activities_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/scene"
)

// The same answer is recorded by many workers while commands change the same subscription: no deadlock, one settlement,
// and every outcome is one that an order of theirs could have had.
func TestRecordingRacesWithCommands(t *testing.T) {
	t.Parallel()
	for round := range 3 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			l := answering(t, scene.Pend)
			txn := l.last()
			l.Provider.Settle(txn.ID, providers.Succeeded)
			other := l.Plan(t, scene.Monthly(2000))

			ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
			defer stop()
			group, ctx := errgroup.WithContext(ctx)
			barrier := make(chan struct{})
			var passing atomic.Int64 // refused while the payment was under way
			for i := range 16 {
				group.Go(func() error {
					<-barrier
					if i%2 == 0 {
						return l.checkUntilSettled(ctx, txn.ID)
					}
					commands := []command{
						{Name: contract.CommandCancel}, {Name: contract.CommandReactivate}, {Name: contract.CommandPay},
						{Name: contract.CommandChangePlan, PlanID: other.ID},
					}
					c := commands[i/2%len(commands)]
					c.ID = fmt.Sprintf("cmd_%d", i)
					refusal, err := l.commandUntilJudged(ctx, c)
					if refusal != nil && refusal.RetryAfter > 0 {
						passing.Add(1)
					}
					return err
				})
			}
			close(barrier)
			require.NoError(t, group.Wait())

			l.reload()
			l.until(l.Clock.Now())
			require.Equal(t, payment.Success, l.transactions()[1].Status)
			require.Equal(t, invoice.Paid, l.invoices()[1].Status)
			require.Equal(t, 1, l.Provider.Captures()[txn.ID])
			var performed int
			require.NoError(t, l.Pool.QueryRow(t.Context(), "select count(*) from commands").Scan(&performed))
			require.EqualValues(t, 8, int64(performed)+passing.Load(), "each is remembered, or was refused for now")
			l.sound()
		})
	}
}

// checkUntilSettled repeats as Temporal would: another worker may have changed the transaction meanwhile.
func (l *life) checkUntilSettled(ctx context.Context, txn string) error {
	for {
		out, err := l.Payments.Charge(ctx, contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now(), Asked: true})
		if err == nil && out.Status == payment.Success {
			return nil
		}
		if ctx.Err() != nil || deadlocked(err) {
			return errors.Join(ctx.Err(), err)
		}
	}
}

func (l *life) commandUntilJudged(ctx context.Context, c contract.Command) (*contract.Refusal, error) {
	for {
		out, err := l.Subscriptions.ApplyCommand(ctx, contract.CommandInput{Ref: l.ref, Command: c, Now: l.Clock.Now()})
		if err == nil {
			return out.Result.Refusal, nil
		}
		if ctx.Err() != nil || deadlocked(err) {
			return nil, errors.Join(ctx.Err(), err)
		}
	}
}

// deadlocked tells PostgreSQL's last resort from trouble that a repeat mends.
func deadlocked(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "40P01"
}

// Many workers send the same charge at once, as after a time-out of an activity that had not ended: one key, one capture.
func TestTheSameChargeSentByManyWorkers(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.due()
	txn := l.snap.Live.TransactionID
	var group errgroup.Group
	for range 16 {
		group.Go(func() error { return l.checkUntilSettled(t.Context(), txn) })
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
	l.reload()
	l.sound()
}

// A cancel that comes between the mark and the send finds the charge marked: it is never taken for one that was not sent.
func TestCancelBetweenMarkAndAnswer(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.due()
	txn := l.snap.Live.TransactionID
	var once sync.Once
	l.Provider.During = func(op, _ string) {
		once.Do(func() {
			require.Equal(t, "charge", op)
			_, err := l.commandUntilJudged(t.Context(), command{ID: "cmd_1", Name: contract.CommandCancel, ImmediateEffect: true})
			require.NoError(t, err)
		})
	}
	out, err := l.Payments.Charge(t.Context(), contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now()})
	require.NoError(t, err)
	require.Equal(t, payment.Success, out.Status)
	require.True(t, out.Snapshot.Finished)
	require.Equal(t, invoice.Paid, l.invoices()[1].Status, "what was charged before the cancel is kept")
	l.sound()
}

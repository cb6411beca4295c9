package charging_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/service"
	"perennial/service/payments"
	"perennial/service/usecase"
	"perennial/test/life"
	"perennial/test/scene"
)

// stops pauses or resumes the charging of a scene, in the ways that there are.
type stops struct {
	pause, resume func() error
}

func stopsOf(t testing.TB, s *scene.Scene) map[string]stops {
	t.Helper()
	use, by := service.New(s.Store, s.Clock.Now), usecase.Caller{
		Actor: db.ByKey("key_1").Doing(db.Call{Operation: "test"}), EnvironmentID: s.Env,
	}
	whole, account := usecase.Around[payments.Charging]{}, usecase.Around[db.ProviderConfig]{}
	return map[string]stops{
		"environment": {
			func() error { return use.Payments.PauseCharging(t.Context(), by, whole) },
			func() error { return use.Payments.ResumeCharging(t.Context(), by, whole) },
		},
		"account": {
			func() error { return use.Payments.PauseProvider(t.Context(), by, s.Config.ID, account) },
			func() error { return use.Payments.ResumeProvider(t.Context(), by, s.Config.ID, account) },
		},
	}
}

func TestChargingStop_HoldsFirstSendsAndSendsThemOnResume(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"environment", "account"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			l, w := life.Begin(t, scene.New(t), scene.Monthly(1000)), &life.Waker{}
			stop := stopsOf(t, l.Scene)[way]
			require.NoError(t, stop.pause())
			sent := len(l.Provider.Calls())
			l.Until(scene.Start.AddDate(0, 1, 7)) // a week of it
			held := l.Last()
			require.Equal(t, payment.Pending, held.Status)
			require.Equal(t, 1, held.AttemptNumber)
			require.True(t, held.HeldBack.ByStop)
			require.Contains(t, held.FailureReason, "Charging is paused")
			require.Empty(t, held.Provider)
			require.Empty(t, l.Sends(held.ID))
			require.Len(t, l.Provider.Calls(), sent, "nothing was sent")
			require.True(t, l.Snap.Live.CheckAt.After(l.Clock.Now()), "the workflow sleeps until tomorrow")
			require.LessOrEqual(t, held.Revision, int64(9), "one exchange a day")
			require.Equal(t, "active", string(l.Sub().Status))
			require.NotContains(t, w.Pass(t, l.Scene), "check "+l.Ref.ID+" "+held.ID)

			require.NoError(t, stop.resume())
			l.Clock.Add(time.Second)
			require.Contains(t, w.Pass(t, l.Scene), "check "+l.Ref.ID+" "+held.ID)
			require.NotContains(t, w.Pass(t, l.Scene), "check "+l.Ref.ID+" "+held.ID, "once for each change")
			l.CheckAsked(held.ID)
			paid := l.Transaction(held.ID)
			require.Equal(t, payment.Success, paid.Status)
			require.Empty(t, paid.FailureReason)
			require.Zero(t, paid.HeldBack)
			require.Equal(t, 1, paid.AttemptNumber)
			require.Equal(t, map[string]int{l.Transactions()[0].ID: 1, held.ID: 1}, l.Provider.Captures())
			l.Sound()
		})
	}
}

// A signal that follows the end of a stop may be lost: the net has the payment a minute later.
func TestChargingStop_LostSignalIsCaught(t *testing.T) {
	t.Parallel()
	l, w := life.Begin(t, scene.New(t), scene.Monthly(1000)), &life.Waker{}
	stop := stopsOf(t, l.Scene)["environment"]
	require.NoError(t, stop.pause())
	l.Until(scene.Start.AddDate(0, 1, 0))
	require.NoError(t, stop.resume())
	check := "check " + l.Ref.ID + " " + l.Last().ID
	require.Contains(t, w.Pass(t, l.Scene), check)
	l.Clock.Add(61 * time.Second)
	require.Contains(t, w.Pass(t, l.Scene), check)
}

// A charge that was sent before the stop is still looked up, replayed, canceled and refunded.
func TestChargingStop_WhatWasSentGoesOn(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]scene.Answer{"pending": scene.Pend, "silent": scene.Silent, "lost": scene.Lose} {
		for _, way := range []string{"environment", "account"} {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				l := life.Answering(t, answer)
				require.NoError(t, stopsOf(t, l.Scene)[way].pause())
				txn := l.Last()
				require.True(t, txn.EverSent())
				if answer == scene.Pend {
					l.Provider.Settle(txn.ID, providers.Succeeded)
				}
				l.Until(l.Clock.Now().Add(time.Hour))
				require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
				require.Equal(t, 1, l.Provider.Captures()[txn.ID])

				l.Perform(life.CancelNow("prorated"))
				refunds := l.Refunds()
				require.Len(t, refunds, 1)
				require.Equal(t, payment.Refunded, refunds[0].Status)
				l.Sound()
			})
		}
	}
}

// "Not taken" ends a send: the next one is a first one again, and a stop holds it.
func TestChargingStop_HoldsTheRepeatOfWhatWasNotTaken(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Refuse)
	stop := stopsOf(t, l.Scene)["environment"]
	require.NoError(t, stop.pause())
	l.Until(l.Clock.Now().Add(time.Hour))
	txn := l.Last()
	require.True(t, txn.HeldBack.ByStop)
	require.Len(t, l.Sends(txn.ID), 1)
	require.NoError(t, stop.resume())
	l.CheckAsked(txn.ID)
	require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
	require.Equal(t, 1, l.Provider.Captures()[txn.ID])
}

func TestChargingStop_HeldPaymentCanBeCanceled(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	require.NoError(t, stopsOf(t, l.Scene)["account"].pause())
	l.Until(scene.Start.AddDate(0, 1, 2))
	held, sent := l.Last(), len(l.Provider.Calls())
	l.Perform(life.CancelNow(""))
	require.Equal(t, payment.Canceled, l.Transaction(held.ID).Status)
	require.Len(t, l.Provider.Calls(), sent)
	l.Sound()
}

// A retry that falls due in a stop is held, and is the same retry afterwards: no attempt is lost or added.
func TestChargingStop_RetryScheduleStays(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Decline, scene.Decline)
	first := l.Last()
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Declined, l.Transaction(first.ID).Status)
	stop := stopsOf(t, l.Scene)["environment"]
	require.NoError(t, stop.pause())
	l.Until(l.Clock.Now().Add(10 * life.Day))
	retry := l.Last()
	require.Equal(t, 2, retry.AttemptNumber)
	require.True(t, retry.HeldBack.ByStop)
	require.NoError(t, stop.resume())
	l.CheckAsked(retry.ID)
	require.Equal(t, payment.Declined, l.Transaction(retry.ID).Status)
	l.Until(l.Clock.Now().Add(2 * life.Day))
	require.Equal(t, 3, l.Last().AttemptNumber)
	require.Equal(t, payment.Success, l.Last().Status)
}

// A change of the accounts releases what no account could take.
func TestHeld_WokenByAnEnabledAccount(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	l := life.Begin(t, s, scene.Monthly(1000))
	l.Collecting()
	_, err := s.Pool.Exec(t.Context(), "update provider_configs set is_primary = false, disabled_at = now()")
	require.NoError(t, err)
	l.Until(s.Clock.Now())
	held := l.Last()
	require.False(t, held.HeldBack.At.IsZero())
	require.False(t, held.HeldBack.ByStop)
	require.Contains(t, held.FailureReason, "it is disabled")
	_ = w.Pass(t, s)
	require.Empty(t, w.Pass(t, s))
	use, by := service.New(s.Store, s.Clock.Now), usecase.Caller{
		Actor: db.ByKey("key_1").Doing(db.Call{Operation: "test"}), EnvironmentID: s.Env,
	}
	require.NoError(t, use.Payments.EnableProvider(t.Context(), by, s.Config.ID, usecase.Around[db.ProviderConfig]{}))
	require.Equal(t, []string{"check " + l.Ref.ID + " " + held.ID}, w.Pass(t, s))
	l.CheckAsked(held.ID)
	require.Equal(t, payment.Success, l.Transaction(held.ID).Status)
}

// Each pass releases a bounded number, of every environment its share, and the next pass follows at once.
func TestChargingStop_ManyAreReleasedInTurn(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	stop := stopsOf(t, s)["environment"]
	require.NoError(t, stop.pause())
	for range 7 {
		life.Begin(t, s, scene.Monthly(1000))
	}
	require.NoError(t, stop.resume())
	var seen []string
	for _, n := range []int{3, 3, 1, 0} {
		s.InTx(t, func(tx *db.Tx) error {
			refs, err := tx.Payments.ReleaseHeld(t.Context(), 3)
			require.Len(t, refs, n)
			for _, r := range refs {
				require.NotContains(t, seen, r.ID)
				seen = append(seen, r.ID)
			}
			return err
		})
	}
}

func TestChargingStop_BlocksAClockAndNamesThePayment(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	ref := w.Add(0)
	stop := stopsOf(t, w.Scene)["environment"]
	require.NoError(t, stop.pause())
	began := time.Now()
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 3, 0)))
	step, _ := w.Steps()
	require.Less(t, time.Since(began), 10*time.Second)
	require.Len(t, step.BlockedBy, 1)
	clock := w.TestClock()
	require.Equal(t, testclock.Ready, clock.Status)
	require.True(t, clock.NowAt.Before(scene.Start.AddDate(0, 3, 0)))

	require.NoError(t, stop.resume())
	_, err := w.Payments.Charge(t.Context(), contract.ResolveInput{
		EnvironmentID: w.Env, TransactionID: step.BlockedBy[0], Now: clock.NowAt, Asked: true,
	})
	require.NoError(t, err)
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 3, 0)))
	step, _ = w.Steps()
	require.Empty(t, step.BlockedBy)
	require.Equal(t, scene.Start.AddDate(0, 3, 0), w.TestClock().NowAt)
	paid, _, err := w.Store.Payments.Transactions(
		t.Context(), w.Env, db.TransactionFilter{SubscriptionID: ref.ID}, db.Page{Limit: 10},
	)
	require.NoError(t, err)
	require.False(t, slices.ContainsFunc(paid, func(t payment.Transaction) bool { return t.Status != payment.Success }))
}

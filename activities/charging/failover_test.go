package charging_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/payment"
	"perennial/billing/routing"
	"perennial/db"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// renewing is a subscription whose next charge is about to be sent, with a backup account.
func renewing(t *testing.T) (l *life.Life, backup *scene.Provider, config db.ProviderConfig) {
	t.Helper()
	l = life.Begin(t, scene.New(t), scene.Monthly(1000))
	config, backup = withBackup(t, l.Scene)
	l.Collecting()
	return l, backup, config
}

// A payment that the primary surely did not take goes to the backup at once; one that it may have taken never does.
func TestFailover_OnlyOnProof(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer scene.Answer
		over   bool
	}{
		"not taken":           {scene.Refuse, true},
		"credentials refused": {scene.Unauthorized, true},
		"silence, captured":   {scene.Silent, false},
		"silence, lost":       {scene.Lose, false},
		"declined":            {scene.Decline, false},
		"undecided":           {scene.Pend, false},
		"captured":            {scene.Capture, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, backup, config := renewing(t)
			l.Provider.Script = life.Always(c.answer)
			l.Check(l.Snap.Live.TransactionID)
			txn := l.Last()
			sends := l.Sends(txn.ID)
			if !c.over {
				require.Empty(t, backup.Calls())
				require.Len(t, sends, 1)
				l.Until(l.Clock.Now().Add(time.Hour))
				require.Empty(t, backup.Calls(), "nor later")
				return
			}
			require.Equal(t, payment.Success, txn.Status)
			require.Equal(t, config.ID, txn.ProviderConfigID)
			require.Equal(t, map[string]int{txn.ID: 1}, backup.Captures())
			require.Len(t, sends, 2)
			require.Equal(t, []string{"primary", "backup"}, []string{sends[0].Reason, sends[1].Reason})
			require.Equal(t, answer.NotSent, sends[0].Outcome)
			require.NotEqual(t, sends[0].Key, sends[1].Key)
			l.Sound()
		})
	}
}

// A payment that no account can take stays pending and is sent when an account can.
func TestFailover_NobodyTakesIt(t *testing.T) {
	t.Parallel()
	l, backup, _ := renewing(t)
	l.Provider.Script, backup.Script = life.Always(scene.Refuse), life.Always(scene.Refuse)
	l.Until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Pending, l.Last().Status)
	require.Empty(t, l.Last().CompletedAt)
	backup.Script = nil
	l.Until(l.Clock.Now().Add(routing.Cooldown))
	require.Equal(t, payment.Success, l.Last().Status)
	require.Equal(t, map[string]int{l.Last().ID: 1}, backup.Captures())
	l.Sound()
}

// An open breaker sends payments to the backup without a request to the account that rests, until a probe is answered.
func TestFailover_OpenBreaker(t *testing.T) {
	t.Parallel()
	l, backup, config := renewing(t)
	l.Provider.Script = life.Always(scene.Unauthorized)
	l.Check(l.Snap.Live.TransactionID)
	require.True(t, l.Breaker(l.Config.ID).Opened(), "refused credentials need no second try")
	asked := len(l.Provider.Calls())

	l.InTx(t, func(tx *db.Tx) error { // it rests until after the next renewal
		b, err := tx.Payments.LockBreaker(t.Context(), l.Env, l.Config.ID)
		require.NoError(t, err)
		b.ProbeAt = scene.Start.AddDate(0, 2, 1)
		return tx.Payments.SaveBreaker(t.Context(), l.Env, l.Config.ID, b)
	})
	l.Until(scene.Start.AddDate(0, 2, 0))
	require.Equal(t, config.ID, l.Last().ProviderConfigID)
	require.Len(t, l.Provider.Calls(), asked)
	require.Len(t, backup.Captures(), 2)

	l.Provider.Script = nil
	l.Until(scene.Start.AddDate(0, 3, 0))
	require.Equal(t, l.Config.ID, l.Last().ProviderConfigID, "the probe")
	require.Equal(t, routing.Breaker{}, l.Breaker(l.Config.ID))
	l.Sound()
}

// Five sends in a row of several payments that were not taken open the breaker of an account without a backup. Then a
// payment is tried every half minute, and the reason is on its row.
func TestFailover_NoBackup(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Collecting()
	l.Provider.Script = life.Always(scene.Refuse)
	begun := l.Clock.Now()
	for range 3 { // others meet the same
		l.Charge(t, l.OwnCharge(t).ID)
	}
	for !l.Breaker(l.Config.ID).Opened() {
		l.Until(l.Last().NextCheckAt)
		require.Less(t, l.Clock.Now().Sub(begun), 5*time.Minute)
	}
	l.Until(l.Clock.Now().Add(10 * time.Second))
	require.LessOrEqual(t, l.Last().NextCheckAt.Sub(l.Clock.Now()), time.Minute)
	sent := len(l.Sends(l.Last().ID))
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.Last().Status)
	require.LessOrEqual(t, len(l.Sends(l.Last().ID))-sent, 121, "a probe each half minute")
	require.False(t, l.Breaker(l.Config.ID).Opened(), "only one payment was tried all the time")
	l.Provider.Script = nil
	l.Until(l.Clock.Now().Add(time.Minute))
	require.Equal(t, payment.Success, l.Last().Status)
	require.Empty(t, l.Last().FailureReason)
	require.Zero(t, l.Breaker(l.Config.ID).Failures)
	l.Sound()
}

// One payment that its provider refuses for ever (429) keeps no account from others, nor tells operators that it does.
func TestFailover_OnePaymentOpensNoBreaker(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	poisoned := ""
	l.Provider.Script = func(_ int, in providers.ChargeRequest) scene.Answer {
		if in.TransactionID == poisoned {
			return scene.Limit
		}
		return scene.Capture
	}
	poisoned = l.OwnCharge(t).ID
	for range 57 {
		l.Charge(t, poisoned)
		require.False(t, l.Breaker(l.Config.ID).Opened())
		l.Clock.Set(l.Transaction(poisoned).NextCheckAt)
	}
	require.Equal(t, payment.Pending, l.Transaction(poisoned).Status)
	other := l.OwnCharge(t).ID
	l.Charge(t, other)
	require.Equal(t, payment.Success, l.Transaction(other).Status)
	require.Zero(t, l.Breaker(l.Config.ID).Failures)
}

// A charging stop holds new charges, and loses none. Disabled accounts get none either.
func TestRoute_StopsAreRespected(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set, unset string
		why        string
	}{
		"environment": {
			"update environments set charging_paused_at = now()", "update environments set charging_paused_at = null",
			"Charging is paused",
		},
		"account": {
			"update provider_configs set charging_paused_at = now()", "update provider_configs set charging_paused_at = null",
			"Charging is paused",
		},
		"disabled": {
			"update provider_configs set disabled_at = now(), is_primary = false",
			"update provider_configs set disabled_at = null",
			"it is disabled",
		},
		"deleted": {
			"update provider_configs set deleted_at = now(), is_primary = false",
			"update provider_configs set deleted_at = null",
			"This environment has no payment provider",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Begin(t, scene.New(t), scene.Monthly(1000))
			l.Collecting()
			_, err := l.Pool.Exec(t.Context(), c.set)
			require.NoError(t, err)
			l.Until(l.Clock.Now().Add(life.Day))
			require.Equal(t, payment.Pending, l.Last().Status)
			require.Contains(t, l.Last().FailureReason, c.why)
			require.Empty(t, l.Sends(l.Last().ID))
			_, err = l.Pool.Exec(t.Context(), c.unset)
			require.NoError(t, err)
			l.CheckAsked(l.Last().ID) // as a change of the accounts signals
			require.Equal(t, payment.Success, l.Last().Status)
			l.Sound()
		})
	}
}

// A backup is chosen by its priority.
func TestRoute_BackupsByPriority(t *testing.T) {
	t.Parallel()
	l, _, second := renewing(t)
	first := second
	first.ID, first.Priority = first.ID[:len(first.ID)-4]+"zzzz", 50
	l.InTx(t, func(tx *db.Tx) error {
		second.Priority = 60
		if err := tx.Payments.SaveProviderConfig(t.Context(), l.Env, second, []string{"priority"}); err != nil {
			return err
		}
		return tx.Payments.InsertProviderConfig(t.Context(), l.Env, first)
	})
	l.Payments.Gateway.(accounts)[first.ID] = l.NewProvider()
	l.Provider.Script = life.Always(scene.Refuse)
	l.Check(l.Snap.Live.TransactionID)
	require.Equal(t, first.ID, l.Last().ProviderConfigID)
}

// Of refused credentials the app hears once.
func TestFailover_RefusedCredentialsAreAnnounced(t *testing.T) {
	t.Parallel()
	l, _, _ := renewing(t)
	l.Provider.Script = life.Always(scene.Unauthorized)
	l.Until(scene.Start.AddDate(0, 4, 0))
	var events int
	require.NoError(t, l.Pool.QueryRow(t.Context(),
		"select count(*) from events where type = 'provider.failing'").Scan(&events))
	require.Equal(t, 1, events)
	calls, err := l.Store.Payments.ProviderCalls(t.Context(), l.Env, l.Last().ID)
	require.NoError(t, err)
	require.True(
		t, slices.ContainsFunc(calls, func(c db.ProviderCall) bool { return c.HTTPStatus == http.StatusUnauthorized }),
	)
}

// Refunds that are not taken say nothing about charges, which the breaker is for.
func TestFailover_RefundsOpenNoBreaker(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Provider.RefundScript = func(int, providers.RefundRequest) scene.Answer { return scene.Refuse }
	l.Clock.Set(scene.Start.Add(10 * life.Day))
	l.Perform(life.CancelNow("prorated"))
	refund := l.Refunds()[0]
	for range 5 {
		l.Clock.Add(time.Hour)
		l.Check(refund.ID)
	}
	require.Len(t, l.Sends(refund.ID), 6)
	require.Zero(t, l.Breaker(l.Config.ID).Failures)
	require.False(t, l.Breaker(l.Config.ID).Opened())
}

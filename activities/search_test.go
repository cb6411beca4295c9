package activities_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/test/scene"
)

// restores is what the next payment finds: a database under another server. Seconds have passed since the loss.
func (l *life) restores() {
	l.t.Helper()
	_, err := l.Pool.Exec(l.t.Context(), "update database_server set identity = 'another'")
	require.NoError(l.t, err)
	l.Clock.Add(time.Minute)
}

// lost is a subscription whose renewal waits for its first send in a database that was restored: in the window that is
// lost the primary refused it, and the backup took it.
func lost(t *testing.T) (l *life, backup *scene.Provider, config db.ProviderConfig) {
	t.Helper()
	l, backup, config = renewing(t)
	backup.Settle(l.last().ID, providers.Succeeded)
	l.restores()
	return l, backup, config
}

// onlyByKey finds a charge by the key of its send alone, as most providers do.
type onlyByKey struct{ *scene.Provider }

func (p onlyByKey) Capabilities() providers.Capabilities {
	can := p.Provider.Capabilities()
	can.FindsTransaction = false
	return can
}

func TestSearch_FindsWhatTheBackupTookInTheLostWindow(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]string{
		"the primary is up again": "",
		"another primary": `update provider_configs set is_primary = false where is_primary;
			update provider_configs set is_primary = true where id = (select max(id) from provider_configs)`,
		"a stop of the backup":   "update provider_configs set charging_paused_at = now() where not is_primary",
		"the backup is disabled": "update provider_configs set disabled_at = now() where not is_primary",
		"the backup is deleted":  "update provider_configs set deleted_at = now() where not is_primary",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, backup, config := lost(t)
			if meanwhile != "" {
				_, err := l.Pool.Exec(t.Context(), meanwhile)
				require.NoError(t, err)
			}
			l.until(l.Clock.Now().Add(10 * time.Minute))

			txn := l.last()
			require.Equal(t, payment.Success, txn.Status)
			require.Equal(t, config.ID, txn.ProviderConfigID)
			require.Equal(t, backup.Reference(txn.ID), txn.ProviderRef)
			require.Zero(t, l.Provider.Captures()[txn.ID])
			require.Equal(t, 1, backup.Captures()[txn.ID])
			require.Equal(t, invoice.Paid, l.invoices()[1].Status)
			sends := l.sends(txn.ID)
			require.Len(t, sends, 1)
			require.Equal(t, []string{config.ID, "found after a restore"}, []string{sends[0].ProviderConfigID, sends[0].Reason})
			require.Equal(t, payment.AnswerSucceeded, sends[0].Outcome)
		})
	}
}

// Held and resumed in the window that is lost: the restored row is held as before.
func TestSearch_FindsWhatWasHeldAndResumedInTheLostWindow(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	config, backup := withBackup(t, l.Scene)
	stop := stopsOf(t, l.Scene)["environment"]
	require.NoError(t, stop.pause())
	l.until(scene.Start.AddDate(0, 1, 2))
	txn := l.last().ID
	backup.Settle(txn, providers.Succeeded)
	l.restores()
	l.until(l.Clock.Now().AddDate(0, 0, 2))
	require.Equal(t, payment.Pending, l.last().Status, "the restored stop holds it on")
	require.NoError(t, stop.resume())
	l.asked(txn)
	l.until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.last().Status)
	require.Equal(t, config.ID, l.last().ProviderConfigID)
	require.Zero(t, l.Provider.Captures()[txn])
}

// The answer to the first send was lost with the window: its repeat would reach a primary that had refused it.
func TestSearch_BeforeARepeatWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	l, backup, config := renewing(t)
	txn := l.last().ID
	l.Provider.Script = always(scene.Lose)
	l.check(txn)
	require.True(t, l.last().EverSent())
	l.Provider.Script = nil
	backup.Settle(txn, providers.Succeeded)
	l.restores()
	l.until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.last().Status)
	require.Equal(t, config.ID, l.last().ProviderConfigID)
	require.Zero(t, l.Provider.Captures()[txn])
	require.Len(t, l.sends(txn), 2)
}

// Where an account finds a charge by its key only, it is asked under each key that a lost send may have had.
func TestSearch_ByEachKey(t *testing.T) {
	t.Parallel()
	for name, number := range map[string]int{"first": 1, "after one refusal": 2, "the last that is asked": 8} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, backup, config := renewing(t)
			txn, asked := l.last(), map[string]bool{}
			backup.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
				asked[in.Key] = true
				if len(asked) == number {
					return providers.Pending, true
				}
				return providers.NotFound, true
			}
			l.Payments.Gateway = accounts{l.Config.ID: onlyByKey{l.Provider}, config.ID: onlyByKey{backup}}
			l.restores()
			l.check(txn.ID) // waits for what was in flight
			l.Clock.Add(time.Minute)
			l.check(txn.ID)
			require.Equal(t, config.ID, l.last().ProviderConfigID)
			require.Equal(t, number, l.last().SendNumber)
			require.True(t, asked[l.sends(txn.ID)[0].Key])
			require.Empty(t, l.Provider.Captures()[txn.ID])
		})
	}
}

// Nothing was lost: it goes out once every account has said so, and the search is not repeated.
func TestSearch_FindsNothing(t *testing.T) {
	t.Parallel()
	l, backup, _ := renewing(t)
	l.restores()
	due := l.Clock.Now()
	l.until(due.Add(5 * time.Minute))
	txn := l.last()
	require.Equal(t, payment.Success, txn.Status)
	require.Equal(t, []string{"lookup", "charge"}, l.operations(txn.ID))
	require.Equal(t, []scene.Call{{Operation: "lookup", TransactionID: txn.ID, At: due.Add(time.Minute)}}, backup.Calls())
	require.Equal(t, 1, l.Provider.Captures()[txn.ID])
	l.until(scene.Start.AddDate(0, 2, 0))
	require.Equal(t, []string{"charge"}, l.operations(l.last().ID), "what is due after the restore is sent at once")
	l.sound()
}

// What was refused after a search is sent again without another one.
func TestSearch_Once(t *testing.T) {
	t.Parallel()
	l, backup, _ := renewing(t)
	l.restores()
	l.Provider.Script, backup.Script = always(scene.Refuse), always(scene.Refuse)
	l.until(l.Clock.Now().Add(5 * time.Minute))
	l.Provider.Script = nil
	l.until(l.Clock.Now().Add(5 * time.Minute))
	txn := l.last()
	require.Equal(t, payment.Success, txn.Status)
	require.Equal(t, 1, strings.Count(strings.Join(l.operations(txn.ID), " "), "lookup"))
	require.Len(t, l.sends(txn.ID), txn.SendNumber)
	l.sound()
}

// A single account is asked after a minute, too: it refused a first send in the window that is lost, and took the second
// under another key. Its index lags, so that until then it does not find that one.
func TestSearch_SingleAccount(t *testing.T) {
	t.Parallel()
	for name, captured := range map[string]bool{"captured after a refusal": true, "never sent": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t, scene.New(t), scene.Monthly(1000))
			l.collecting()
			txn := l.last()
			if captured {
				l.Provider.Settle(txn.ID, providers.Succeeded)
			}
			l.restores()
			indexed := l.Clock.Now().Add(30 * time.Second)
			l.Provider.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) {
				return providers.NotFound, l.Clock.Now().Before(indexed)
			}
			l.check(txn.ID)
			require.Empty(t, l.operations(txn.ID))
			require.Contains(t, l.last().FailureReason, "restored")
			l.until(l.Clock.Now().Add(5 * time.Minute))
			require.Equal(t, payment.Success, l.last().Status)
			require.Equal(t, map[string]int{l.transactions()[0].ID: 1, txn.ID: 1}, l.Provider.Captures())
			require.Equal(t, !captured, slices.Contains(l.operations(txn.ID), "charge"))
		})
	}
}

// An account that does not answer makes the payment wait, and after a day a person must find out. It never fails.
func TestSearch_WaitsForAnAnswer(t *testing.T) {
	t.Parallel()
	l, backup, config := lost(t)
	away := true
	backup.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, away }
	l.until(l.Clock.Now().Add(time.Hour))
	txn := l.last()
	require.Equal(t, payment.Pending, txn.Status)
	require.Empty(t, txn.ProviderConfigID)
	require.Contains(t, txn.FailureReason, config.ID)
	require.Contains(t, contract.HeldOf(txn).Why, "PostgreSQL was restarted, or restored")
	require.Zero(t, l.Provider.Captures()[txn.ID])

	away = false
	l.until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.last().Status)

	l, backup, _ = lost(t)
	backup.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, true }
	l.until(l.Clock.Now().Add(30 * time.Hour))
	require.Equal(t, payment.Pending, l.last().Status)
	require.Equal(t, payment.ReviewOutcomeUnknown, l.last().Review.Reason)
	require.False(t, l.last().ParkedAt.IsZero())
}

// unopened has one account whose credentials cannot be opened.
type unopened struct {
	accounts

	id string
}

func (u unopened) Provider(ctx context.Context, c db.ProviderConfig) (providers.Provider, error) {
	if c.ID == u.id {
		return nil, errors.New("credential_unreadable")
	}
	return u.accounts.Provider(ctx, c)
}

func TestSearch_WaitsForUnreadableCredentials(t *testing.T) {
	t.Parallel()
	l, _, config := lost(t)
	opens := l.Payments.Gateway
	l.Payments.Gateway = unopened{opens.(accounts), config.ID}
	l.until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.last().Status)
	require.Contains(t, l.last().FailureReason, "cannot be opened")
	l.Payments.Gateway = opens
	l.until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.last().Status)
	require.Equal(t, config.ID, l.last().ProviderConfigID)
}

// blind cannot be asked.
type blind struct{ *scene.Provider }

func (b blind) Capabilities() providers.Capabilities {
	can := b.Provider.Capabilities()
	can.LookupByKey, can.FindsTransaction, can.LookupByRef, can.AbsenceAfter, can.AbsenceGap = false, false, false, 0, 0
	return can
}

// An account that cannot be asked: alone, the key is repeated there, and stays where that is refused. Among others a
// person must find out.
func TestSearch_WhoCannotBeAsked(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Payments.Gateway = scene.Gateway{Only: blind{l.Provider}}
	l.collecting()
	l.restores()
	n := 0
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer {
		if n++; n == 1 {
			return scene.Refuse
		}
		return scene.Capture
	}
	l.until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Success, l.last().Status)
	require.Len(t, l.sends(l.last().ID), 1, "a refusal proves nothing about the lost send: the key stays")

	l, backup, config := lost(t)
	l.Payments.Gateway = accounts{l.Config.ID: l.Provider, config.ID: blind{backup}}
	l.until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.last().Status)
	require.Equal(t, payment.ReviewOutcomeUnknown, l.last().Review.Reason)
	require.False(t, slices.Contains(l.operations(l.last().ID), "charge"))
}

// The only account that could have taken it cannot be asked, and is not the one that would take it now: no key protects
// the charge there.
func TestSearch_NeverSendsElsewhereThanToTheOnlyAccountThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.collecting()
	l.restores()
	config, later := withBackup(t, l.Scene)
	_, err := l.Pool.Exec(t.Context(), `update provider_configs set created_at = '2999-01-01' where id = $1`, config.ID)
	require.NoError(t, err)
	_, err = l.Pool.Exec(t.Context(), `update provider_configs set disabled_at = now(), is_primary = false where id = $1`, l.Config.ID)
	require.NoError(t, err)
	l.Payments.Gateway = accounts{l.Config.ID: blind{l.Provider}, config.ID: later}
	l.until(l.Clock.Now().Add(time.Hour))
	require.Empty(t, later.Captures())
	require.Equal(t, payment.ReviewOutcomeUnknown, l.last().Review.Reason)
}

// Somebody cancels what may have been sent: it is looked for before it counts as never sent.
func TestSearch_BeforeACanceledChargeIsGivenUp(t *testing.T) {
	t.Parallel()
	l, _, config := lost(t)
	l.perform(cancelNow("none"))
	l.until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.last().Status, "a charge that was captured before the cancel is kept")
	require.Equal(t, config.ID, l.last().ProviderConfigID)
}

package charging_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// lost is a subscription whose renewal waits for its first send in a database that was restored: in the window that is
// lost the primary refused it, and the backup took it.
func lost(t *testing.T) (l *life.Life, backup *scene.Provider, config db.ProviderConfig) {
	t.Helper()
	l, backup, config = renewing(t)
	backup.Settle(l.Last().ID, providers.Succeeded)
	l.Restore()
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
			l.Until(l.Clock.Now().Add(10 * time.Minute))

			txn := l.Last()
			require.Equal(t, payment.Success, txn.Status)
			require.Equal(t, config.ID, txn.ProviderConfigID)
			require.Equal(t, backup.Reference(txn.ID), txn.ProviderRef)
			require.Zero(t, l.Provider.Captures()[txn.ID])
			require.Equal(t, 1, backup.Captures()[txn.ID])
			require.Equal(t, invoice.Paid, l.Invoices()[1].Status)
			sends := l.Sends(txn.ID)
			require.Len(t, sends, 1)
			require.Equal(t, []string{config.ID, "found after a restore"}, []string{sends[0].ProviderConfigID, sends[0].Reason})
			require.Equal(t, answer.Succeeded, sends[0].Outcome)
		})
	}
}

// Held and resumed in the window that is lost: the restored row is held as before.
func TestSearch_FindsWhatWasHeldAndResumedInTheLostWindow(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	config, backup := withBackup(t, l.Scene)
	stop := stopsOf(t, l.Scene)["environment"]
	require.NoError(t, stop.pause())
	l.Until(scene.Start.AddDate(0, 1, 2))
	txn := l.Last().ID
	backup.Settle(txn, providers.Succeeded)
	l.Restore()
	l.Until(l.Clock.Now().AddDate(0, 0, 2))
	require.Equal(t, payment.Pending, l.Last().Status, "the restored stop holds it on")
	require.NoError(t, stop.resume())
	l.CheckAsked(txn)
	l.Until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.Last().Status)
	require.Equal(t, config.ID, l.Last().ProviderConfigID)
	require.Zero(t, l.Provider.Captures()[txn])
}

// The answer to the first send was lost with the window: its repeat would reach a primary that had refused it.
func TestSearch_BeforeARepeatWhoseAnswerWasLost(t *testing.T) {
	t.Parallel()
	l, backup, config := renewing(t)
	txn := l.Last().ID
	l.Provider.Script = life.Always(scene.Lose)
	l.Check(txn)
	require.True(t, l.Last().EverSent())
	l.Provider.Script = nil
	backup.Settle(txn, providers.Succeeded)
	l.Restore()
	l.Until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.Last().Status)
	require.Equal(t, config.ID, l.Last().ProviderConfigID)
	require.Zero(t, l.Provider.Captures()[txn])
	require.Len(t, l.Sends(txn), 2)
}

// Where an account finds a charge by its key only, it is asked under each key that a lost send may have had.
func TestSearch_ByEachKey(t *testing.T) {
	t.Parallel()
	for name, number := range map[string]int{"first": 1, "after one refusal": 2, "the last that is asked": 8} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, backup, config := renewing(t)
			txn, asked := l.Last(), map[string]bool{}
			backup.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
				asked[in.Key] = true
				if len(asked) == number {
					return providers.Pending, true
				}
				return providers.NotFound, true
			}
			l.Payments.Gateway = accounts{l.Config.ID: onlyByKey{l.Provider}, config.ID: onlyByKey{backup}}
			l.Restore()
			l.Check(txn.ID) // waits for requests in flight
			l.Clock.Add(time.Minute)
			l.Check(txn.ID)
			require.Equal(t, config.ID, l.Last().ProviderConfigID)
			require.Equal(t, number, l.Last().SendNumber)
			require.True(t, asked[l.Sends(txn.ID)[0].Key])
			require.Empty(t, l.Provider.Captures()[txn.ID])
		})
	}
}

// Nothing was lost: it goes out once every account has said so, and the search is not repeated.
func TestSearch_FindsNothing(t *testing.T) {
	t.Parallel()
	l, backup, _ := renewing(t)
	l.Restore()
	due := l.Clock.Now()
	l.Until(due.Add(5 * time.Minute))
	txn := l.Last()
	require.Equal(t, payment.Success, txn.Status)
	require.Equal(t, []string{"lookup", "charge"}, l.Operations(txn.ID))
	require.Equal(t, []scene.Call{{Operation: "lookup", TransactionID: txn.ID, At: due.Add(time.Minute)}}, backup.Calls())
	require.Equal(t, 1, l.Provider.Captures()[txn.ID])
	l.Until(scene.Start.AddDate(0, 2, 0))
	require.Equal(t, []string{"charge"}, l.Operations(l.Last().ID), "what is due after the restore is sent at once")
	l.Sound()
}

// A charge that was refused after a search is sent again without another search.
func TestSearch_Once(t *testing.T) {
	t.Parallel()
	l, backup, _ := renewing(t)
	l.Restore()
	l.Provider.Script, backup.Script = life.Always(scene.Refuse), life.Always(scene.Refuse)
	l.Until(l.Clock.Now().Add(5 * time.Minute))
	l.Provider.Script = nil
	l.Until(l.Clock.Now().Add(5 * time.Minute))
	txn := l.Last()
	require.Equal(t, payment.Success, txn.Status)
	require.Equal(t, 1, strings.Count(strings.Join(l.Operations(txn.ID), " "), "lookup"))
	require.Len(t, l.Sends(txn.ID), txn.SendNumber)
	l.Sound()
}

// A single account is asked after a minute, too: it refused a first send in the window that is lost, and took the
// second under another key. Its index lags, so that until then it does not find that one.
func TestSearch_SingleAccount(t *testing.T) {
	t.Parallel()
	for name, captured := range map[string]bool{"captured after a refusal": true, "never sent": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Begin(t, scene.New(t), scene.Monthly(1000))
			l.Collecting()
			txn := l.Last()
			if captured {
				l.Provider.Settle(txn.ID, providers.Succeeded)
			}
			l.Restore()
			indexed := l.Clock.Now().Add(30 * time.Second)
			l.Provider.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) {
				return providers.NotFound, l.Clock.Now().Before(indexed)
			}
			l.Check(txn.ID)
			require.Empty(t, l.Operations(txn.ID))
			require.Contains(t, l.Last().FailureReason, "restored")
			l.Until(l.Clock.Now().Add(5 * time.Minute))
			require.Equal(t, payment.Success, l.Last().Status)
			require.Equal(t, map[string]int{l.Transactions()[0].ID: 1, txn.ID: 1}, l.Provider.Captures())
			require.Equal(t, !captured, slices.Contains(l.Operations(txn.ID), "charge"))
		})
	}
}

// An account that does not answer makes the payment wait, and after a day a person must find out. It never fails.
func TestSearch_WaitsForAnAnswer(t *testing.T) {
	t.Parallel()
	l, backup, config := lost(t)
	away := true
	backup.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, away }
	l.Until(l.Clock.Now().Add(time.Hour))
	txn := l.Last()
	require.Equal(t, payment.Pending, txn.Status)
	require.Empty(t, txn.ProviderConfigID)
	require.Contains(t, txn.FailureReason, config.ID)
	require.Contains(t, contract.HeldOf(txn).Why, "PostgreSQL was restarted, or restored")
	require.Zero(t, l.Provider.Captures()[txn.ID])

	away = false
	l.Until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.Last().Status)

	l, backup, _ = lost(t)
	backup.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, true }
	l.Until(l.Clock.Now().Add(30 * time.Hour))
	require.Equal(t, payment.Pending, l.Last().Status)
	require.Equal(t, payment.ReviewOutcomeUnknown, l.Last().Review.Reason)
	require.False(t, l.Last().ParkedAt.IsZero())
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
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.Last().Status)
	require.Contains(t, l.Last().FailureReason, "cannot be opened")
	l.Payments.Gateway = opens
	l.Until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.Last().Status)
	require.Equal(t, config.ID, l.Last().ProviderConfigID)
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
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Payments.Gateway = scene.Gateway{Only: blind{l.Provider}}
	l.Collecting()
	l.Restore()
	n := 0
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer {
		if n++; n == 1 {
			return scene.Refuse
		}
		return scene.Capture
	}
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Success, l.Last().Status)
	require.Len(t, l.Sends(l.Last().ID), 1, "a refusal proves nothing about the lost send: the key stays")

	l, backup, config := lost(t)
	l.Payments.Gateway = accounts{l.Config.ID: l.Provider, config.ID: blind{backup}}
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.Last().Status)
	require.Equal(t, payment.ReviewOutcomeUnknown, l.Last().Review.Reason)
	require.False(t, slices.Contains(l.Operations(l.Last().ID), "charge"))
}

// The only account that could have taken the charge cannot be asked and is not the one that would take it now, where no
// key protects the charge.
func TestSearch_NeverSendsElsewhereThanToTheOnlyAccountThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Collecting()
	l.Restore()
	config, later := withBackup(t, l.Scene)
	_, err := l.Pool.Exec(t.Context(), `update provider_configs set created_at = '2999-01-01' where id = $1`, config.ID)
	require.NoError(t, err)
	_, err = l.Pool.Exec(
		t.Context(), `update provider_configs set disabled_at = now(), is_primary = false where id = $1`, l.Config.ID,
	)
	require.NoError(t, err)
	l.Payments.Gateway = accounts{l.Config.ID: blind{l.Provider}, config.ID: later}
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Empty(t, later.Captures())
	require.Equal(t, payment.ReviewOutcomeUnknown, l.Last().Review.Reason)
}

// A canceled charge that may have been sent is searched before it counts as never sent.
func TestSearch_BeforeACanceledChargeIsGivenUp(t *testing.T) {
	t.Parallel()
	l, _, config := lost(t)
	l.Perform(life.CancelNow("none"))
	l.Until(l.Clock.Now().Add(10 * time.Minute))
	require.Equal(t, payment.Success, l.Last().Status, "a charge that was captured before the cancel is kept")
	require.Equal(t, config.ID, l.Last().ProviderConfigID)
}

package charging_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/pacing"
	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/life"
)

// Workers die in the middle of a search, or run out of time. The search continues where it stopped, unless the database
// was restored again: then every account is asked again.
func TestSearch_GoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"one restore": false, "restored again meanwhile": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, backup, config := renewing(t)
			l.Payments.Gateway = accounts{l.Config.ID: onlyByKey{l.Provider}, config.ID: onlyByKey{backup}}
			txn := l.Last().ID
			l.Restore()
			l.Check(txn) // waits for requests in flight
			l.Clock.Add(time.Minute)

			const questions = 16
			asked, attempts := 0, 0
			var die context.CancelFunc
			nothing := func(providers.LookupRequest) (providers.Outcome, bool) {
				if asked++; asked%3 == 0 {
					die()
				}
				return providers.NotFound, true
			}
			l.Provider.LookupScript, backup.LookupScript = nothing, nothing
			for ; l.Last().Status == payment.Pending && attempts < 2*questions; attempts++ {
				if again && attempts == 5 {
					require.Empty(t, l.Provider.Captures()[txn])
					l.Restore()
					l.Check(txn)
					l.Clock.Add(time.Minute)
				}
				ctx, cancel := context.WithCancel(t.Context())
				die = cancel
				l.ChargeWith(ctx, txn)
				cancel()
				if l.Last().Status == payment.Pending {
					require.Contains(t, l.Last().FailureReason, "restored")
				}
			}

			require.Equal(t, payment.Success, l.Last().Status)
			require.Equal(t, 1, l.Provider.Captures()[txn])
			answered := questions
			if again {
				answered += 10
			}
			require.Equal(t, answered, asked-asked/3, "no account is asked twice, unless its answer was lost")
		})
	}
}

// The primary cannot be asked, and the backup has the charge: it is found there, and none of them is sent anything.
func TestSearch_AsksOthersWhileOneDoesNotAnswer(t *testing.T) {
	t.Parallel()
	silent := func(providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, true }
	for name, hide := range map[string]func(l *life.Life, die *context.CancelFunc){
		"no answer": func(l *life.Life, _ *context.CancelFunc) { l.Provider.LookupScript = silent },
		"it takes the worker's whole time": func(l *life.Life, die *context.CancelFunc) {
			l.Provider.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
				(*die)()
				return silent(in)
			}
		},
		"its credentials cannot be opened": func(l *life.Life, _ *context.CancelFunc) {
			l.Payments.Gateway = unopened{l.Payments.Gateway.(accounts), l.Config.ID}
		},
		"the charge was sent there, and its credentials cannot be opened": func(l *life.Life, _ *context.CancelFunc) {
			_, err := l.Pool.Exec(l.T.Context(), `update transactions
				set provider = 'stripe', provider_config_id = $1, first_sent_at = send_due_at, send_number = 1 where id = $2`,
				l.Config.ID, l.Last().ID)
			require.NoError(l.T, err)
			l.Payments.Gateway = unopened{l.Payments.Gateway.(accounts), l.Config.ID}
		},
		"it has called back, and its credentials cannot be opened": func(l *life.Life, _ *context.CancelFunc) {
			txn := l.Last()
			txn.ProviderRef = "pi_unknown"
			l.StoreMessage(l.Config, says(txn, "told", providers.Failed))
			l.Payments.Gateway = unopened{l.Payments.Gateway.(accounts), l.Config.ID}
		},
		"it has no free slot": func(l *life.Life, _ *context.CancelFunc) {
			l.Payments.Slots = pacing.NewSlots(1, 10)
			require.True(l.T, l.Payments.Slots.Take(l.Config.ID, "stripe"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, backup, config := lost(t)
			l.Payments.Gateway = accounts{l.Config.ID: onlyByKey{l.Provider}, config.ID: onlyByKey{backup}}
			txn, die := l.Last().ID, context.CancelFunc(nil)
			hide(l, &die)
			for range 10 {
				ctx, cancel := context.WithCancel(t.Context())
				die = cancel
				l.ChargeWith(ctx, txn)
				cancel()
				l.Clock.Add(time.Minute)
			}
			require.Equal(t, payment.Success, l.Last().Status)
			require.Equal(t, config.ID, l.Last().ProviderConfigID)
			require.Zero(t, l.Provider.Captures()[txn])
		})
	}
}

// No account answers for a day: all are asked in turn, the row names them, and then the payment needs review.
func TestSearch_NobodyAnswers(t *testing.T) {
	t.Parallel()
	l, backup, config := lost(t)
	l.Payments.Gateway = accounts{l.Config.ID: onlyByKey{l.Provider}, config.ID: onlyByKey{backup}}
	silent := func(providers.LookupRequest) (providers.Outcome, bool) { return providers.Unknown, true }
	l.Provider.LookupScript, backup.LookupScript = silent, silent
	l.Until(l.Clock.Now().Add(time.Hour))
	require.Equal(t, payment.Pending, l.Last().Status)
	require.Contains(t, l.Last().FailureReason, l.Config.ID)
	require.Contains(t, l.Last().FailureReason, config.ID)
	require.InDelta(t, len(l.Provider.Calls()), len(backup.Calls()), 2)
	require.Less(t, len(backup.Calls()), 40, "in growing gaps")
	l.Until(l.Clock.Now().Add(30 * time.Hour))
	require.Equal(t, payment.ReviewOutcomeUnknown, l.Last().Review.Reason)
}

// One account has an operation that ended without money. It may have been refused, and the charge sent to the other: it
// ends only where that has nothing.
func TestSearch_WhatEndedElsewhereIsNoEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		backup providers.Outcome
		want   payment.Status
	}{
		"the backup captured it":       {providers.Succeeded, payment.Success},
		"the backup has nothing":       {providers.NotFound, payment.Failed},
		"the backup does not answer":   {providers.Unknown, payment.Pending},
		"the backup failed it as well": {providers.Failed, payment.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, backup, config := renewing(t)
			if c.backup == providers.Succeeded {
				backup.Settle(l.Last().ID, providers.Succeeded)
			}
			l.Payments.Gateway = accounts{l.Config.ID: onlyByKey{l.Provider}, config.ID: onlyByKey{backup}}
			l.Restore()
			txn := l.Last()
			first := ""
			l.Provider.LookupScript = func(in providers.LookupRequest) (providers.Outcome, bool) {
				if first == "" {
					first = in.Key
				}
				if in.Key == first {
					return providers.Failed, true
				}
				return providers.NotFound, true
			}
			backup.LookupScript = func(providers.LookupRequest) (providers.Outcome, bool) {
				return c.backup, c.backup != providers.Succeeded
			}
			for range 5 {
				l.ChargeWith(t.Context(), txn.ID)
				l.Clock.Add(time.Minute)
			}
			require.Equal(t, c.want, l.Transaction(txn.ID).Status)
			require.NotContains(t, l.Operations(txn.ID), "charge")
			for _, call := range backup.Calls() {
				require.Equal(t, "lookup", call.Operation)
			}
		})
	}
}

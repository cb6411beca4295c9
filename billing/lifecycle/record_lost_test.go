package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/billing/recording"
)

// restored returns a charge of 1000 that waits for its first send, or for a repeat of it, at pp_1. The database was
// restored after that was due, and now is an hour later.
func restored(t *testing.T, sent bool) (*life, payment.Transaction, time.Time) {
	t.Helper()
	l := begun(t, settings)
	txn := l.charges()[0]
	at := txn.SendDueAt.Add(time.Hour)
	txn.Provider, txn.ProviderConfigID = "first", "pp_1"
	if sent {
		txn.SendNumber, txn.FirstSentAt = 1, txn.SendDueAt
	}
	l.store.transactions[0] = txn
	l.moveTo(at.Add(time.Hour))
	return l, txn, at
}

// The answers of accounts about a send that the restored database may have lost. The search asks pp_2 about send 3.
func TestRecord_SearchForALostSend(t *testing.T) {
	t.Parallel()
	type lost = charging.Lost
	const why = "Earlier requests are looked for."
	conflict := fault.New(fault.Conflict, "provider_reference_mismatch", "")
	for name, c := range map[string]struct {
		sent       bool // the books have an earlier send
		checks     int
		decided    bool // during the search
		asked      lost
		said       answer.Answer
		impossible *fault.Error
		status     payment.Status // after the answer
		found      bool           // the charge is followed at pp_2
		nothing    bool           // no account has it
		reason     string
		wait       time.Duration // until the next move
		counted    int           // checks after the answer
		review     string
	}{
		"the account has the money": {
			said:   answer.Answer{Outcome: answer.Succeeded, Ref: "pi_1", Amount: 1000},
			status: payment.Success, found: true,
		},
		"it has accepted it": {
			said: answer.Answer{Outcome: answer.Pending, Ref: "pi_1"}, status: payment.Pending, found: true,
			wait: 10 * time.Second, counted: 1,
		},
		"it declined, and no other can have it": {
			asked: lost{Ends: true}, said: answer.Answer{Outcome: answer.Declined, FailureReason: "No money."},
			status: payment.Declined, found: true, reason: "No money.",
		},
		"it declined, and another may have it": {
			said:   answer.Answer{Outcome: answer.Declined, FailureReason: "No money."},
			status: payment.Pending, reason: why,
			wait: time.Second,
		},
		"it has nothing, others are to be asked": {
			said: answer.Answer{Outcome: answer.NotFound}, status: payment.Pending, reason: why, wait: time.Second,
		},
		"it has nothing, and was the last": {
			asked: lost{Last: true}, said: answer.Answer{Outcome: answer.NotFound},
			status: payment.Pending, nothing: true,
		},
		"it was the last for a repeat": {
			sent: true, asked: lost{Last: true}, said: answer.Answer{Outcome: answer.NotFound},
			status:  payment.Pending,
			nothing: true,
		},
		"it was the last, but one cannot be asked": {
			asked: lost{Last: true, Blind: true}, said: answer.Answer{Outcome: answer.NotFound},
			status: payment.Pending,
			reason: "This payment needs review: outcome_unknown.", review: payment.ReviewOutcomeUnknown,
		},
		"one cannot be asked, whose callback is waited for": {
			sent: true, asked: lost{Last: true, Blind: true}, said: answer.Answer{Outcome: answer.NotFound},
			status: payment.Pending, reason: why, wait: time.Second,
		},
		"it is silent": {
			said: answer.Answer{Outcome: answer.Unknown}, status: payment.Pending, reason: why, wait: 10 * time.Second,
			counted: 1,
		},
		"it asks for time": {
			said:   answer.Answer{Outcome: answer.NotSent, RetryAfter: 2 * time.Minute},
			status: payment.Pending, reason: why,
			wait: 2 * time.Minute, counted: 1,
		},
		"an account asked before wants more time": {
			asked:  lost{RetryAfter: 4 * time.Minute},
			said:   answer.Answer{Outcome: answer.Unknown, RetryAfter: 2 * time.Minute},
			status: payment.Pending, reason: why,
			wait: 4 * time.Minute, counted: 1,
		},
		"the fourth round is silent": {
			checks: 3, said: answer.Answer{Outcome: answer.Unknown}, status: payment.Pending, reason: why,
			wait: 2 * time.Minute, counted: 4,
		},
		"the third round, in which another was silent": {
			checks: 3, asked: lost{Counted: true}, said: answer.Answer{Outcome: answer.Unknown},
			status: payment.Pending,
			reason: why, wait: time.Minute, counted: 3,
		},
		"the first round, in which another was silent": {
			asked: lost{Counted: true}, said: answer.Answer{Outcome: answer.Unknown},
			status: payment.Pending, reason: why,
			wait: 10 * time.Second, counted: 1,
		},
		"it is silent, and others owe no answer": {
			asked: lost{Fresh: true}, said: answer.Answer{Outcome: answer.Unknown},
			status: payment.Pending, reason: why,
			wait: time.Second,
		},
		"the search begins later": {
			asked: lost{Begin: true}, said: answer.Answer{Outcome: answer.Unknown, RetryAfter: 50 * time.Second},
			status: payment.Pending, reason: why, wait: 50 * time.Second, counted: 1,
		},
		"it was decided meanwhile": {
			decided: true, said: answer.Answer{Outcome: answer.Pending, Ref: "pi_1"}, status: payment.Declined,
			reason: "no money",
		},
		"the request could not be made": {
			impossible: conflict, status: payment.Pending, reason: "This payment needs review: provider_reference_mismatch.",
			review: "provider_reference_mismatch",
		},
	} {
		l, txn, at := restored(t, c.sent)
		if c.decided {
			l.answer(txn.ID, answer.Declined)
			txn = *l.store.transaction(txn.ID)
			c.counted = txn.Checks
		} else {
			txn.Checks = c.checks
			l.store.transactions[0] = txn
		}
		c.asked.Why = why
		c.asked.Send = payment.Send{Number: 3, Provider: "second", ProviderConfigID: "pp_2"}
		_, recorded, _, err := recording.Record(l.load(false).state, recording.Result{
			Transaction: txn, Move: payment.MoveLookup, Protocol: protocol, RestoredAt: at, Lost: &c.asked, Answer: c.said,
			Impossible: c.impossible,
		}, l.moment())
		require.NoError(t, err, name)
		after := recorded.Transaction
		require.Equal(t, c.status, after.Status, name)
		require.Equal(t, c.review, recorded.NeedsReview, name)
		require.Equal(t, c.reason, after.FailureReason, name)
		require.Equal(t, c.counted, after.Checks, name)
		require.Equal(t, c.nothing, !after.UnsentAt.IsZero(), name)
		require.Equal(t, c.found, recorded.Found != nil, name)
		if c.found {
			require.Equal(t, [3]any{"second", "pp_2", 3}, [3]any{after.Provider, after.ProviderConfigID, after.SendNumber}, name)
			require.Equal(t, c.said.Ref, after.ProviderRef, name)
		} else if !c.decided {
			require.Equal(t, [3]any{"first", "pp_1", txn.SendNumber},
				[3]any{after.Provider, after.ProviderConfigID, after.SendNumber}, name)
		}
		if c.status == payment.Pending && c.review == "" {
			require.Equal(t, c.wait, after.NextCheckAt.Sub(l.real), name)
		}
	}
}

// A search without answers ends in review: at the earliest a day after the restore, and after more than 30 rounds.
func TestRecord_SearchForALostSendInVain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		checks int
		after  time.Duration // since the restore
		review string
	}{
		"31 rounds in a day":           {30, 24 * time.Hour, payment.ReviewOutcomeUnknown},
		"30 rounds in a day":           {29, 24 * time.Hour, ""},
		"31 rounds, in less than that": {30, 24*time.Hour - time.Second, ""},
	} {
		l, txn, at := restored(t, false)
		txn.Checks = c.checks
		l.store.transactions[0] = txn
		l.moveTo(at.Add(c.after))
		_, recorded, _, err := recording.Record(l.load(false).state, recording.Result{
			Transaction: txn, Move: payment.MoveLookup, Protocol: protocol, RestoredAt: at, Lost: &charging.Lost{},
			Answer: answer.Answer{Outcome: answer.Unknown},
		}, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, c.review, recorded.NeedsReview, name)
	}
}

// An account from a callback answers how a charge ended there. After a restore it counts as the end only if it moved
// the money: a charge that was refused in the lost window may have gone to another account.
func TestRecord_EndAtAnAccountThatACallbackNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hint     string
		byKey    bool // the account looks up keys, so that the charge is searched
		outcome  answer.Outcome
		restored time.Duration // after the send
		status   payment.Status
	}{
		"it declined":                        {"pi_1", true, answer.Declined, time.Hour, payment.Pending},
		"it canceled it":                     {"pi_1", true, answer.Canceled, time.Hour, payment.Pending},
		"it has the money":                   {"pi_1", true, answer.Succeeded, time.Hour, payment.Success},
		"the database is as it was":          {"pi_1", true, answer.Declined, -time.Hour, payment.Declined},
		"no callback named it":               {"", true, answer.Declined, time.Hour, payment.Declined},
		"nothing is looked for at such ones": {"pi_1", false, answer.Declined, time.Hour, payment.Declined},
	} {
		l, txn, _ := restored(t, true)
		p := protocol
		p.LookupByKey = c.byKey
		_, recorded, changes, err := recording.Record(l.load(false).state, recording.Result{
			Transaction: txn, Move: payment.MoveLookup, Asked: true, Hint: c.hint, Protocol: p,
			RestoredAt: txn.FirstSentAt.Add(c.restored), Answer: answer.Answer{Outcome: c.outcome, Ref: "pi_1", Amount: 1000},
		}, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, c.status, recorded.Transaction.Status, name)
		require.Equal(t, c.status == payment.Pending, len(changes.Transactions) == 0, name)
	}
}

// If the account has accepted it, it is followed by that account's reference.
func TestRecord_AcceptedByAnAccountThatACallbackNamed(t *testing.T) {
	t.Parallel()
	l, txn, at := restored(t, true)
	_, recorded, _, err := recording.Record(l.load(false).state, recording.Result{
		Transaction: txn, Move: payment.MoveLookup, Asked: true, Hint: "pi_1", Protocol: protocol, RestoredAt: at,
		Answer: answer.Answer{Outcome: answer.Pending, Ref: "pi_1"},
	}, l.moment())
	require.NoError(t, err)
	require.Equal(t, "pi_1", recorded.Transaction.ProviderRef)
}

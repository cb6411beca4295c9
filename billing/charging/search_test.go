package charging_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/payment"
)

// restored is after the charge of due was made, and long enough ago for indexes of providers to have all sends.
var restored = t0.Add(-2 * time.Minute)

// old was due before the database was restored, so that it may have been sent already.
func old(t *payment.Transaction) { t.SendDueAt = restored.Add(-time.Minute) }

func absent(ids ...string) *charging.Found {
	f := &charging.Found{}
	for _, id := range ids {
		f.Asked = append(f.Asked, payment.Asked{Question: payment.Question{AccountID: id, Number: 1}, Absent: true})
	}
	return f
}

func TestNext_LooksForALostSend(t *testing.T) {
	t.Parallel()
	a, b, cannotSay := account("a"), account("b"), account("b", silent)
	for name, c := range map[string]struct {
		txn      payment.Transaction
		w        world
		progress charging.Progress
		at       time.Time
		move     payment.Move
		account  string
		lost     bool
		says     string
	}{
		"every account is asked": {due(old), world{accounts: []charging.Account{a, b}}, charging.Progress{}, t0,
			payment.MoveLookup, "a", true, "answers whether it has it already"},
		"the next one": {due(old), world{accounts: []charging.Account{a, b}, Known: charging.Known{Search: absent("a")}},
			charging.Progress{}, t0, payment.MoveLookup, "b", true, "bpay (b)"},
		"one that was deleted since": {
			due(old), world{accounts: []charging.Account{a}, deleted: []charging.Account{b},
				Known: charging.Known{Search: absent("a")}},
			charging.Progress{}, t0, payment.MoveLookup, "b", true, "bpay (b)",
		},
		"none that is younger than the restore": {
			due(old), world{accounts: []charging.Account{a, account("b", late)}, Known: charging.Known{Search: absent("a")}},
			charging.Progress{}, t0, payment.MoveSend, "a", false, "",
		},
		"all have nothing": {
			due(old), world{accounts: []charging.Account{a, b}, Known: charging.Known{Search: absent("a", "b")}},
			charging.Progress{}, t0, payment.MoveSend, "a", false, "",
		},
		"indexes lag": {due(old), world{accounts: []charging.Account{a}}, charging.Progress{}, restored.Add(time.Second),
			payment.MoveHold, "a", true, "Providers are asked"},
		"nobody answers in this progress": {
			due(old), world{accounts: []charging.Account{a}}, progressAfterSilence(t), t0, payment.MoveHold, "a", true,
			"answers whether it has it already",
		},
		"one cannot be opened": {due(old), world{accounts: []charging.Account{account("a", closed)}}, charging.Progress{}, t0,
			payment.MoveHold, "", true, "Its credentials cannot be opened"},
		"one of two cannot be asked": {
			due(old), world{accounts: []charging.Account{a, cannotSay}, Known: charging.Known{Search: absent("a")}},
			charging.Progress{}, t0, payment.MoveReview, "a", false, "",
		},
		"the only one cannot be asked": {due(old), world{accounts: []charging.Account{account("a", silent)}},
			charging.Progress{}, t0, payment.MoveSend, "a", false, ""},
		"charging is paused": {due(old), world{accounts: []charging.Account{a}, paused: true}, charging.Progress{}, t0,
			payment.MoveHold, "", false, ""},
		"what is not wanted any more is looked for, too": {due(old, canceled), world{accounts: []charging.Account{a}},
			charging.Progress{}, t0, payment.MoveLookup, "a", true, ""},
	} {
		s := charging.Situation{Transaction: c.txn, RestoredAt: restored, Now: c.at, Progress: c.progress}
		step, _ := decide(t, s, c.w)
		require.Equal(t, c.move, step.Move, name)
		require.Equal(t, c.account, step.AccountID, name)
		require.Equal(t, c.lost, step.Lost != nil, name)
		if c.lost {
			require.Contains(t, step.Lost.Why, c.says, name)
			require.Empty(t, step.Transaction.ProviderConfigID, name+": no account has it, as far as is known")
		}
	}
}

// progressAfterSilence is one in which account a was asked, and did not answer.
func progressAfterSilence(t *testing.T) charging.Progress {
	t.Helper()
	s := charging.Situation{Transaction: due(old), RestoredAt: restored, Now: t0}
	step, _ := decide(t, s, world{accounts: []charging.Account{account("a")}})
	r, goes := charging.Progress{}.After(step, answer.Unknown, time.Minute, due(old), t0)
	require.Equal(t, charging.IfTime, goes, "others may answer")
	require.Equal(t, []string{"a"}, r.Questioned)
	return r
}

// The account that can be asked now is asked: whichever of the questions that is.
func TestAsking_AnyOfTheQuestions(t *testing.T) {
	t.Parallel()
	s := charging.Situation{Transaction: due(old), RestoredAt: restored, Now: t0}
	step, _ := decide(t, s, world{accounts: []charging.Account{account("a"), account("b")}})
	require.Equal(t, []payment.Question{{AccountID: "a", Number: 1}, {AccountID: "b", Number: 1}}, step.Questions)
	other := step.Asking(step.Questions[1], t0)
	require.Equal(t, "b", other.AccountID)
	require.Equal(t, "b", other.Lost.ProviderConfigID)
	require.Equal(t, "a", step.AccountID, "the first is as it was")
	require.True(t, other.Lost.Fresh, "account a owes no answer")
}

// TestNext_Laws: whatever is known, a decision ends, names an open account for each request, and sends nothing that may
// have been sent already while an account could still be asked about it.
func TestNext_Laws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := world{paused: rapid.Bool().Draw(t, "paused"), Known: charging.Known{Probes: map[string]bool{}}}
		for _, id := range []string{"a", "b", "c"} {
			if !rapid.Bool().Draw(t, "account "+id) {
				continue
			}
			a := account(id)
			for _, change := range []func(*charging.Account){closed, stopped, silent, resting} {
				if rapid.IntRange(0, 3).Draw(t, "changed") == 0 {
					change(&a)
				}
			}
			w.accounts = append(w.accounts, a)
			w.Probes[id] = rapid.Bool().Draw(t, "probes "+id)
		}
		changes := rapid.SliceOfDistinct(rapid.SampledFrom([]int{0, 1, 2}), rapid.ID).Draw(t, "changes")
		txn := due()
		for _, i := range changes {
			[]func(*payment.Transaction){sent, canceled, old}[i](&txn)
		}
		if txn.EverSent() && !slices.ContainsFunc(w.accounts, func(a charging.Account) bool { return a.ID == "a" }) {
			w.deleted = append(w.deleted, account("a"))
		}
		w.Search = absent(rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.ID).Draw(t, "absent")...)
		s := charging.Situation{Transaction: txn, RestoredAt: restored, Now: t0, Progress: charging.Progress{
			Asked: rapid.Bool().Draw(t, "asked"),
		}}
		step, asked := decide(t, s, w)
		require.LessOrEqual(t, len(asked), 12, "%v", asked)
		if step.Unreachable != "" {
			return
		}
		all := slices.Concat(w.accounts, w.deleted)
		at := slices.IndexFunc(all, func(a charging.Account) bool { return a.ID == step.AccountID })
		if step.Asks() {
			require.GreaterOrEqual(t, at, 0)
			require.Equal(t, charging.Open, all[at].Opening)
		}
		if step.Move != payment.MoveSend {
			return
		}
		require.Zero(t, txn.CancelRequestedAt)
		require.False(t, w.paused)
		require.False(t, all[at].Stopped)
		require.False(t, txn.EverSent())
		if step.Transaction.MayRepeat(restored) {
			require.Len(t, w.accounts, 1, "it may have gone to any of several")
			require.Equal(t, callbacksOnly, w.accounts[0].Protocol, "it can be asked")
		}
	})
}

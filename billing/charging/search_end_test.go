package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/charging"
	"perennial/billing/payment"
)

// endedAt has an account say that it has an operation which ended without moving money.
func endedAt(id string, absent ...string) *charging.Found {
	f := &charging.Found{Asked: []payment.Asked{{Question: payment.Question{AccountID: id, Number: 1}, Ended: true}}}
	for _, id := range absent {
		f.Asked = append(f.Asked, payment.Asked{Question: payment.Question{AccountID: id, Number: 1}, Absent: true})
	}
	return f
}

// An operation that ended without the money ends the charge only where no other account can have it. Silence delays the
// payment where no account is left that owes no answer.
func TestAsking_WhatAnAnswerProves(t *testing.T) {
	t.Parallel()
	a, b := account("a"), account("b")
	for name, c := range map[string]struct {
		accounts          []charging.Account
		found             *charging.Found
		asks              string
		last, ends, fresh bool
		blind             bool
	}{
		"the only account":              {[]charging.Account{a}, nil, "a", true, true, false, false},
		"one of two":                    {[]charging.Account{a, b}, nil, "a", false, false, true, false},
		"the last of two":               {[]charging.Account{a, b}, absent("a"), "b", true, true, false, false},
		"the other cannot be opened":    {[]charging.Account{a, account("b", closed)}, nil, "a", false, false, false, false},
		"the other cannot be asked":     {[]charging.Account{a, account("b", silent)}, nil, "a", true, false, false, true},
		"that ended it, the other none": {[]charging.Account{a, b}, endedAt("a", "b"), "a", false, true, false, false},
		"that ended it, the other open": {[]charging.Account{a, b}, endedAt("a"), "b", false, false, false, false},
	} {
		s := charging.Situation{Transaction: due(old), RestoredAt: restored, Now: t0}
		step, _ := decide(t, s, world{accounts: c.accounts, Known: charging.Known{Search: c.found}})
		require.Equal(t, payment.MoveLookup, step.Move, name)
		require.Equal(t, c.asks, step.AccountID, name)
		require.Equal(t, [4]bool{c.last, c.ends, c.fresh, c.blind},
			[4]bool{step.Lost.Last, step.Lost.Ends, step.Lost.Fresh, step.Lost.Blind}, name)
	}
}

// A charge that a meanwhile deleted account may have is searched from the time when the payment was due.
func TestNext_SearchesSince(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		txn  payment.Transaction
		want time.Time
	}{
		"due before the restore": {due(old), restored.Add(-time.Minute)},
		"due at no time":         {due(lost, func(t *payment.Transaction) { t.SendDueAt = time.Time{} }), restored},
		"due later":              {due(lost, func(t *payment.Transaction) { t.SendDueAt = t0 }), restored},
	} {
		var needs []charging.Need
		w := world{accounts: []charging.Account{account("a")}, needs: &needs}
		decide(t, charging.Situation{Transaction: c.txn, RestoredAt: restored, Now: t0}, w)
		require.Contains(t, needs, charging.Need{Of: charging.NeedSearch, Since: c.want}, name)
	}
}

// How a search ends that leaves nothing to ask.
func TestNext_EndOfASearch(t *testing.T) {
	t.Parallel()
	a, b := account("a"), account("b")
	mute, onlyA := account("a", silent), []charging.Account{a}
	first := func(a *charging.Account) { a.Primary = true }
	erased := func(t *payment.Transaction) { t.Method = payment.Method{} }
	for name, c := range map[string]struct {
		txn       payment.Transaction
		accounts  []charging.Account
		found     *charging.Found
		move      payment.Move
		account   string // that the transaction shows
		mayRepeat bool   // the send still counts as a possible repeat
	}{
		"it ended there, another cannot be asked": {
			due(old), []charging.Account{a, account("b", silent)}, endedAt("a"), payment.MoveReview, "", true,
		},
		"it ended there, another cannot be opened": {
			due(old), []charging.Account{a, account("b", closed)}, endedAt("a"), payment.MoveHold, "", true,
		},
		"no account could have it":      {due(old), []charging.Account{account("a", late)}, nil, payment.MoveSend, "a", true},
		"all have nothing":              {due(old), []charging.Account{a, b}, absent("a", "b"), payment.MoveSend, "a", false},
		"in another order":              {due(old), []charging.Account{b, a}, absent("a", "b"), payment.MoveSend, "a", false},
		"not wanted, and no account":    {due(old, canceled), nil, nil, payment.MoveAbandon, "", false},
		"not wanted, and nothing there": {due(old, canceled), onlyA, absent("a"), payment.MoveAbandon, "a", false},
		"not wanted, and it cannot be asked": {
			due(old, canceled), []charging.Account{mute}, nil, payment.MoveReview, "", true,
		},
		"only another could have it, which cannot be asked": {
			due(old), []charging.Account{mute, account("b", late, first)}, nil, payment.MoveSend, "a", true,
		},
		"that, and it goes to the newer one": {
			due(old), []charging.Account{account("a", silent, stopped), account("b", late)}, nil, payment.MoveReview, "", true,
		},
		"an account that takes no such payment": {
			due(old), []charging.Account{account("a", refusing), b}, absent("b"), payment.MoveSend, "b", false,
		},
		"of an erased payer it may": {
			due(old, erased), []charging.Account{account("a", refusing), b}, absent("b"), payment.MoveLookup, "", true,
		},
	} {
		s := charging.Situation{Transaction: c.txn, RestoredAt: restored, Now: t0}
		step, _ := decide(t, s, world{accounts: c.accounts, Known: charging.Known{Search: c.found}})
		require.Equal(t, c.move, step.Move, name)
		require.Empty(t, step.Unreachable, name)
		require.Equal(t, c.account, step.Transaction.ProviderConfigID, name)
		require.Equal(t, c.mayRepeat, step.Transaction.MayRepeat(restored), name)
	}
}

// A charge that was sent before, and whose account cannot be opened, is searched elsewhere, or waits for that account.
func TestNext_LostWhereItsAccountCannotBeOpened(t *testing.T) {
	t.Parallel()
	mute := []charging.Account{account("a", closed, late), account("b", silent), account("c", silent)}
	for name, c := range map[string]struct {
		txn         payment.Transaction
		accounts    []charging.Account
		move        payment.Move
		unreachable string
		looksFor    bool
	}{
		"it may have it": {due(lost), []charging.Account{account("a", closed)}, payment.MoveHold, "", true},
		"another may have it, and can be asked": {
			due(lost), []charging.Account{account("a", closed), account("b")}, payment.MoveLookup, "", true,
		},
		"none could have it":              {due(lost), mute[:1], payment.MoveHold, "a", false},
		"others, which cannot be asked":   {due(lost), mute, payment.MoveHold, "", true},
		"those, and a person looks at it": {due(lost, parked), mute, payment.MoveReview, "", false},
	} {
		w := world{accounts: c.accounts, Known: charging.Known{Refusal: refusal}}
		step, _ := decide(t, charging.Situation{Transaction: c.txn, RestoredAt: restored, Now: t0}, w)
		require.Equal(t, c.unreachable, step.Unreachable, name)
		require.Equal(t, c.move, step.Move, name)
		require.Equal(t, c.looksFor, step.Lost != nil, name)
	}
}

// A charge that was sent before waits for a callback where another account cannot be asked. A refusal counts once every
// call has ended, including one that the restored database has lost; and an unwanted charge is canceled where only a
// cancel can be requested.
func TestNext_SentBeforeAndUnsearchable(t *testing.T) {
	t.Parallel()
	mute, asked, other := account("a", silent), account("a"), account("b", silent)
	ago := func(d time.Duration) *time.Time { return ptr(t0.Add(-d)) }
	for name, c := range map[string]struct {
		txn      payment.Transaction
		a        charging.Account
		lastCall *time.Time
		refusal  *[]charging.Evidence
		move     payment.Move
		waits    bool // for a callback
	}{
		"no callback":                {due(lost), mute, nil, nil, payment.MoveHold, true},
		"a refusal":                  {due(lost), mute, nil, refusal, payment.MoveBelieve, false},
		"a refusal, an older call":   {due(lost), mute, ago(time.Hour), refusal, payment.MoveBelieve, false},
		"a refusal beside a call":    {due(lost), mute, ago(time.Second), refusal, payment.MoveHold, true},
		"a call that has just ended": {due(lost), mute, ago(time.Minute), refusal, payment.MoveHold, true},
		"a call that has ended":      {due(lost), mute, ago(time.Minute + 1), refusal, payment.MoveBelieve, false},
		"a person looks at it":       {due(lost, parked), mute, nil, nil, payment.MoveNone, false},
		"its provider has nothing":   {due(lost), asked, nil, refusal, payment.MoveHold, true},
		"not wanted":                 {due(lost, canceled), mute, nil, nil, payment.MoveCancel, false},
		"not wanted, nothing there":  {due(lost, canceled), asked, nil, nil, payment.MoveHold, true},
	} {
		w := world{accounts: []charging.Account{c.a, other}, Known: charging.Known{
			Search: lostAbsent(), LastCall: c.lastCall, Refusal: c.refusal,
		}}
		step, _ := decide(t, charging.Situation{Transaction: c.txn, RestoredAt: restored, Now: t0}, w)
		require.Equal(t, c.move, step.Move, name)
		require.Equal(t, c.waits, step.Lost != nil, name)
		if c.waits {
			require.Contains(t, step.Lost.Why, "The payment waits for a callback.", name)
		}
		if c.move == payment.MoveBelieve {
			require.Equal(t, *refusal, step.Evidence, name)
		}
	}
}

// lostAbsent: account a has nothing under the key of the send that follows the last known one.
func lostAbsent() *charging.Found {
	return &charging.Found{Asked: []payment.Asked{{Question: payment.Question{AccountID: "a", Number: 2}, Absent: true}}}
}

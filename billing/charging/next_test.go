package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/payment"
	"perennial/billing/routing"
)

var (
	t0       = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	protocol = payment.Protocol{
		Window: 20 * time.Hour, LookupByKey: true, LookupByRef: true, Cancel: true, AbsenceAfter: 20 * time.Hour,
		AbsenceGap: time.Hour,
	}
	callbacksOnly = payment.Protocol{Window: 7 * 24 * time.Hour, Cancel: true}
)

// world has all facts that a decision can read. No decision of the test needs others.
type world struct {
	charging.Known

	accounts []charging.Account
	paused   bool
	deleted  []charging.Account // which only a search sees
	needs    *[]charging.Need   // filled with the needs of a decision; nil: not collected
}

func account(id string, change ...func(*charging.Account)) charging.Account {
	a := charging.Account{
		Account: routing.Account{ID: id, Provider: id + "pay", Primary: id == "a"}, CreatedAt: t0.Add(-time.Hour),
		Opening: charging.Open, Protocol: protocol, FindsTransaction: true,
	}
	for _, c := range change {
		c(&a)
	}
	return a
}

func closed(a *charging.Account)  { a.Opening = charging.Closed }
func stopped(a *charging.Account) { a.Stopped = true }
func silent(a *charging.Account)  { a.Protocol = callbacksOnly }
func resting(a *charging.Account) {
	a.Breaker = routing.Breaker{OpenedAt: t0.Add(-time.Hour), ProbeAt: t0.Add(-time.Minute)}
}

// decide answers the needs of a decision, and returns the decision with the facts that it read.
func decide(t require.TestingT, s charging.Situation, w world) (charging.Step, []charging.Fact) {
	all := map[string]charging.Account{}
	s.Known.Accounts, s.Known.Probes = map[string]charging.Account{}, map[string]bool{}
	list := func(accounts []charging.Account) (ids []string) {
		for _, a := range accounts {
			all[a.ID] = a
			if _, known := s.Known.Accounts[a.ID]; !known {
				a.Opening, a.Protocol = charging.Untried, payment.Protocol{}
				s.Known.Accounts[a.ID] = a
			}
			ids = append(ids, a.ID)
		}
		return ids
	}
	for _, a := range append(w.accounts, w.deleted...) {
		all[a.ID] = a
	}
	var asked []charging.Fact
	for range 40 {
		step := charging.Next(s)
		if step.Need == nil {
			return step, asked
		}
		asked = append(asked, step.Need.Of)
		if w.needs != nil {
			*w.needs = append(*w.needs, *step.Need)
		}
		switch need := *step.Need; need.Of {
		case charging.NeedCallbacks:
			s.Known.CallbacksTell = or(w.CallbacksTell)
		case charging.NeedElsewhere:
			s.Known.Elsewhere = or(w.Elsewhere)
		case charging.NeedSends:
			s.Known.Sends = or(w.Sends)
		case charging.NeedRouting:
			s.Known.Routing = &charging.Routing{Paused: w.paused, Revision: 7, AccountIDs: list(w.accounts)}
		case charging.NeedAccount:
			require.NotContains(t, []charging.Opening{charging.Open, charging.Closed}, s.Known.Accounts[need.AccountID].Opening)
			s.Known.Accounts[need.AccountID] = all[need.AccountID]
		case charging.NeedReference:
			s.Known.Reference = or(w.Reference)
		case charging.NeedEvidence:
			s.Known.Evidence = or(w.Evidence)
		case charging.NeedRefusal:
			s.Known.Refusal = or(w.Refusal)
		case charging.NeedLastCall:
			s.Known.LastCall = or(w.LastCall)
		case charging.NeedProbe:
			s.Known.Probes[need.AccountID] = w.Probes[need.AccountID]
		case charging.NeedSearch:
			found := charging.Found{Revision: 8, AccountIDs: append(list(w.accounts), list(w.deleted)...)}
			if w.Search != nil {
				found.Asked = w.Search.Asked
			}
			s.Known.Search = &found
		}
	}
	require.FailNow(t, "the decision never ends", "%v", asked)
	return charging.Step{}, asked
}

func or[T any](fact *T) *T {
	if fact != nil {
		return fact
	}
	return new(T)
}

// due is a charge that was never sent.
func due(change ...func(*payment.Transaction)) payment.Transaction {
	t := payment.Transaction{
		ID: "txn_1", Type: payment.Charge, Status: payment.Pending, Amount: 1000, Currency: "EUR",
		Method: payment.Method{Type: "card"}, SendDueAt: t0.Add(-time.Minute),
	}
	for _, c := range change {
		c(&t)
	}
	return t
}

// sent went to account a, which did not answer.
func sent(t *payment.Transaction) {
	t.FirstSentAt, t.SendNumber, t.Provider, t.ProviderConfigID = t0.Add(-time.Minute), 1, "apay", "a"
}

func canceled(t *payment.Transaction) { t.CancelRequestedAt = t0.Add(-time.Second) }

func TestNext_AFirstSend(t *testing.T) {
	t.Parallel()
	a, b := account("a"), account("b")
	for name, c := range map[string]struct {
		txn      payment.Transaction
		w        world
		progress charging.Progress
		move     payment.Move
		account  string
		backups  int
		says     string // part of the reason
		wait     time.Duration
	}{
		"the primary takes it": {due(), world{accounts: []charging.Account{b, a}}, charging.Progress{},
			payment.MoveSend, "a", 1,
			"primary", 0},
		"the primary has just refused it": {
			due(), world{accounts: []charging.Account{a, b}}, charging.Progress{Refused: []string{"a"}},
			payment.MoveSend, "b", 0,
			"backup", 0,
		},
		"all have refused it": {due(), world{accounts: []charging.Account{a}}, charging.Progress{Refused: []string{"a"}},
			payment.MoveHold, "", 0, "no payment provider", 0},
		"there is no account": {due(), world{}, charging.Progress{}, payment.MoveHold, "", 0, "no payment provider", 0},
		"charging is paused": {due(), world{accounts: []charging.Account{a}, paused: true},
			charging.Progress{}, payment.MoveHold,
			"", 0, "Charging is paused in this environment", 0},
		"the only account is stopped": {due(), world{accounts: []charging.Account{account("a", stopped)}},
			charging.Progress{},
			payment.MoveHold, "", 0, "Charging is paused for the payment provider apay (a)", 0},
		"the primary's credentials cannot be opened": {
			due(), world{accounts: []charging.Account{account("a", closed), b}}, charging.Progress{}, payment.MoveSend, "b", 0,
			"backup", routing.Cooldown,
		},
		"no credentials can be opened": {due(), world{accounts: []charging.Account{account("a", closed)}},
			charging.Progress{},
			payment.MoveHold, "", 0, "its stored credentials cannot be read", routing.Cooldown},
		"it probes a resting account": {
			due(), world{
				accounts: []charging.Account{account("a", resting), b},
				Known:    charging.Known{Probes: map[string]bool{"a": true}},
			}, charging.Progress{}, payment.MoveSend, "a", 1, "primary", 0,
		},
		"another payment probes it": {due(), world{accounts: []charging.Account{account("a", resting), b}},
			charging.Progress{},
			payment.MoveSend, "b", 0, "backup", routing.Cooldown},
		"nobody wants it any more": {due(canceled), world{accounts: []charging.Account{a}}, charging.Progress{},
			payment.MoveAbandon, "a", 0, "", 0},
		"nobody wants it, and no account can take it": {due(canceled), world{}, charging.Progress{},
			payment.MoveAbandon, "", 0,
			"", 0},
	} {
		step, _ := decide(t, charging.Situation{Transaction: c.txn, Now: t0, Progress: c.progress}, c.w)
		require.Equal(t, c.move, step.Move, name)
		require.Equal(t, c.account, step.AccountID, name)
		require.Equal(t, c.backups, step.Backups, name)
		require.Contains(t, step.Reason, c.says, name)
		require.Equal(t, c.wait, step.Wait, name)
		require.Equal(t, c.account, step.Transaction.ProviderConfigID, name)
	}
}

// A charge whose account cannot be opened goes to no other account: only the one that it was sent to can say what
// became of it.
func TestNext_TheAccountOfASendCannotBeOpened(t *testing.T) {
	t.Parallel()
	w := world{accounts: []charging.Account{account("a", closed), account("b")}}
	step, _ := decide(t, charging.Situation{Transaction: due(sent), Now: t0}, w)
	require.Equal(t, "a", step.Unreachable)
}

// Most charges turn on the accounts of their environment alone.
func TestNext_ReadsWhatItNeeds(t *testing.T) {
	t.Parallel()
	w := world{accounts: []charging.Account{account("a")}}
	_, asked := decide(t, charging.Situation{Transaction: due(), Now: t0}, w)
	require.Equal(t, []charging.Fact{charging.NeedRouting, charging.NeedAccount}, asked)
	_, asked = decide(t, charging.Situation{Transaction: due(sent), Now: t0}, w)
	require.Equal(t, []charging.Fact{charging.NeedAccount}, asked)
	_, asked = decide(t, charging.Situation{Transaction: payment.Transaction{Status: payment.Failed}, Now: t0}, w)
	require.Empty(t, asked, "it never had a provider")
}

func TestNext_WhatCallbacksSay(t *testing.T) {
	t.Parallel()
	refused := answer.Answer{Outcome: answer.Declined}
	evidence := &[]charging.Evidence{{CallbackID: "cb_1", Answer: refused}}
	toBoth := &[]payment.Send{{Number: 1, ProviderConfigID: "b", Key: "k1"}, {Number: 2, ProviderConfigID: "a", Key: "k2"}}
	for name, c := range map[string]struct {
		txn      payment.Transaction
		w        world
		progress charging.Progress
		want     charging.Step
	}{
		"nothing": {due(sent), world{accounts: []charging.Account{account("a")}}, charging.Progress{Asked: true},
			wants(payment.MoveReplay, "a", charging.Subject{Number: 1})},
		"the provider's name for it": {
			due(sent), world{accounts: []charging.Account{account("a")}, Known: charging.Known{Reference: ptr("pi_1")}},
			charging.Progress{Asked: true},
			wants(payment.MoveLookup, "a", charging.Subject{Number: 1, Hint: "pi_1"}),
		},
		"proof, of an account that cannot be asked": {
			due(sent), world{accounts: []charging.Account{account("a", silent)}, Known: charging.Known{Evidence: evidence}},
			charging.Progress{}, wants(payment.MoveBelieve, "a", charging.Subject{Number: 1}),
		},
		"that an earlier account may have it": {
			due(sent, func(t *payment.Transaction) { t.SendNumber = 2 }),
			world{accounts: []charging.Account{account("a"), account("b")}, Known: charging.Known{
				Elsewhere: &charging.Elsewhere{AccountID: "b", Reference: "pi_9", Key: "k1"}, Sends: toBoth,
			}},
			charging.Progress{Asked: true}, wants(payment.MoveLookup, "b", charging.Subject{Number: 1, About: "pi_9"}),
		},
		"that, and it was followed in this progress": {
			due(sent, func(t *payment.Transaction) { t.SendNumber = 2 }),
			world{accounts: []charging.Account{account("a"), account("b")}, Known: charging.Known{
				Elsewhere: &charging.Elsewhere{AccountID: "b", Reference: "pi_9", Key: "k1"}, Sends: toBoth,
			}},
			charging.Progress{Asked: true, Earlier: true}, wants(payment.MoveReplay, "a", charging.Subject{Number: 2}),
		},
	} {
		step, _ := decide(t, charging.Situation{Transaction: c.txn, Now: t0, Progress: c.progress}, c.w)
		require.Equal(t, c.want.Move, step.Move, name)
		require.Equal(t, c.want.AccountID, step.AccountID, name)
		require.Equal(t, c.want.Number, step.Number, name)
		require.Equal(t, c.want.About, step.About, name)
		require.Equal(t, c.want.Hint, step.Hint, name)
	}
}

func ptr[T any](v T) *T { return &v }

// wants is as much of a step as the callbacks decide.
func wants(move payment.Move, accountID string, subject charging.Subject) charging.Step {
	return charging.Step{Move: move, Target: charging.Target{AccountID: accountID}, Subject: subject}
}

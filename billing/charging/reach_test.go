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

// lost makes a transaction one that was sent to account a before the database was restored: it may have been sent again
// after the backup.
func lost(t *payment.Transaction) { sent(t); t.FirstSentAt = restored.Add(-time.Minute) }

func parked(t *payment.Transaction) { t.ParkedAt = t0.Add(-time.Second) }

func late(a *charging.Account)     { a.CreatedAt = t0 }
func refusing(a *charging.Account) { a.Refuses = "it takes no cards" }

var refusal = &[]charging.Evidence{{CallbackID: "cb_1", Answer: answer.Answer{Outcome: answer.Declined}}}

// Evidence of a callback counts where the provider cannot be asked. Elsewhere a look-up follows, and the callback
// proves nothing.
func TestNext_EvidenceIsKeptWhereItIsBelieved(t *testing.T) {
	t.Parallel()
	byRef := func(a *charging.Account) { a.Protocol = payment.Protocol{Window: time.Hour, LookupByRef: true} }
	known := due(sent, func(t *payment.Transaction) { t.ProviderRef = "pi_1" })
	for name, c := range map[string]struct {
		account  charging.Account
		move     payment.Move
		evidence int
	}{
		"asked by reference": {account("a", byRef), payment.MoveLookup, 0},
		"cannot be asked":    {account("a", silent), payment.MoveBelieve, 1},
	} {
		w := world{accounts: []charging.Account{c.account}, Known: charging.Known{Evidence: refusal}}
		step, _ := decide(t, charging.Situation{Transaction: known, Now: t0}, w)
		require.Equal(t, c.move, step.Move, name)
		require.Len(t, step.Evidence, c.evidence, name)
	}
}

// Evidence that names an operation counts only once it is known whose that is: from a reference, the end of the charge,
// or an earlier send that a callback is about.
func TestNext_NamedEvidence(t *testing.T) {
	t.Parallel()
	accounts := []charging.Account{account("a", silent), account("b", silent)}
	elsewhere := &charging.Elsewhere{AccountID: "b", Reference: "pi_9", Key: "k1"}
	for name, c := range map[string]struct {
		txn       payment.Transaction
		elsewhere *charging.Elsewhere
		account   string
		named     bool
	}{
		"a silent send":   {due(sent), nil, "a", false},
		"with its name":   {due(sent, func(t *payment.Transaction) { t.ProviderRef = "pi_1" }), nil, "a", true},
		"that has failed": {due(sent, func(t *payment.Transaction) { t.Status = payment.Failed }), nil, "a", true},
		"an earlier send": {due(sent), elsewhere, "b", true},
	} {
		var needs []charging.Need
		w := world{accounts: accounts, Known: charging.Known{Elsewhere: c.elsewhere}, needs: &needs}
		s := charging.Situation{Transaction: c.txn, Now: t0, Progress: charging.Progress{Asked: c.elsewhere != nil}}
		decide(t, s, w)
		require.Contains(t, needs, charging.Need{Of: charging.NeedEvidence, AccountID: c.account, Named: c.named}, name)
	}
}

// A refund has only the account of its charge.
func TestNext_ARefundIsNotRouted(t *testing.T) {
	t.Parallel()
	refund := due(func(t *payment.Transaction) { t.Type, t.Provider, t.ProviderConfigID = payment.Refund, "bpay", "b" })
	w := world{accounts: []charging.Account{account("a"), account("b")}}
	step, asked := decide(t, charging.Situation{Transaction: refund, Now: t0}, w)
	require.Equal(t, payment.MoveSend, step.Move)
	require.Equal(t, "b", step.AccountID)
	require.NotContains(t, asked, charging.NeedRouting)
}

// A callback about an account that cannot be opened waits for it. A step that may repeat a lost send does not wait for
// the callback; for any other step no other account can be asked.
func TestNext_CallbackOfAnotherAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		txn                  payment.Transaction
		b                    charging.Account
		account, unreachable string
	}{
		"open":                        {due(sent), account("b"), "b", ""},
		"closed":                      {due(sent), account("b", closed), "", "b"},
		"open, and it may repeat":     {due(lost), account("b"), "b", ""},
		"closed, and it may repeat":   {due(lost), account("b", closed), "a", ""},
		"open, and it was never sent": {due(old), account("b"), "b", ""},
	} {
		w := world{accounts: []charging.Account{account("a"), c.b}, Known: charging.Known{
			Elsewhere: &charging.Elsewhere{AccountID: "b", Reference: "pi_9"}, Search: absent("a", "b"),
		}}
		s := charging.Situation{Transaction: c.txn, RestoredAt: restored, Now: t0, Progress: charging.Progress{Asked: true}}
		step, _ := decide(t, s, w)
		require.Equal(t, c.account, step.AccountID, name)
		require.Equal(t, c.unreachable, step.Unreachable, name)
	}
}

// A callback names the send by its key; where none of its account has that key, it is about the last one.
func TestNext_WhichEarlierSend(t *testing.T) {
	t.Parallel()
	first, other, third := payment.Send{Number: 1, ProviderConfigID: "b", Key: "k1"},
		payment.Send{Number: 2, ProviderConfigID: "a", Key: "k2"}, payment.Send{Number: 3, ProviderConfigID: "b", Key: "k3"}
	for name, c := range map[string]struct {
		sends []payment.Send
		key   string
		want  int
	}{
		"the first":              {[]payment.Send{first, other, third}, "k1", 1},
		"the last":               {[]payment.Send{first, other, third}, "k3", 3},
		"one without a key":      {[]payment.Send{first, other, third}, "", 3},
		"not one of another":     {[]payment.Send{first, other}, "k9", 1},
		"one that was forgotten": {[]payment.Send{other}, "k1", 1},
	} {
		w := world{accounts: []charging.Account{account("a"), account("b")}, Known: charging.Known{
			Elsewhere: &charging.Elsewhere{AccountID: "b", Key: c.key}, Sends: &c.sends,
		}}
		txn := due(sent, func(t *payment.Transaction) { t.SendNumber = 4 })
		step, _ := decide(t, charging.Situation{Transaction: txn, Now: t0, Progress: charging.Progress{Asked: true}}, w)
		require.NotNil(t, step.Earlier, name)
		require.Equal(t, "b", step.Earlier.ProviderConfigID, name)
		require.Equal(t, c.want, step.Number, name)
	}
}

// A payment that no account takes is sent to the first one nevertheless: its refusal shows what is wrong. That account
// is no backup of one that takes the payment.
func TestNext_Forced(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		accounts []charging.Account
		account  string
		backups  int
	}{
		"none takes it":  {[]charging.Account{account("a", refusing), account("b", refusing)}, "a", 0},
		"the other does": {[]charging.Account{account("a", refusing), account("b")}, "b", 0},
		"two others do":  {[]charging.Account{account("a", refusing), account("b"), account("c")}, "b", 1},
		"one is stopped": {[]charging.Account{account("a", refusing), account("b", stopped)}, "", 0},
	} {
		step, _ := decide(t, charging.Situation{Transaction: due(), Now: t0}, world{accounts: c.accounts})
		require.Equal(t, c.account, step.AccountID, name)
		require.Equal(t, c.backups, step.Backups, name)
	}
}

// A step that may repeat a lost send claims the probe of a resting account only where it is sent in the end.
func TestNext_ClaimsAProbeAfterTheSearch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		account charging.Account
		mine    bool
		move    payment.Move
		to      string
		asks    bool // for the probe
	}{
		"it is looked for":       {account("a", resting), true, payment.MoveLookup, "a", false},
		"it probes":              {account("a", resting, silent), true, payment.MoveSend, "a", true},
		"another payment probes": {account("a", resting, silent), false, payment.MoveHold, "", true},
	} {
		w := world{accounts: []charging.Account{c.account}, Known: charging.Known{Probes: map[string]bool{"a": c.mine}}}
		step, asked := decide(t, charging.Situation{Transaction: due(old), RestoredAt: restored, Now: t0}, w)
		require.Equal(t, c.move, step.Move, name)
		require.Equal(t, c.to == "" || c.move == payment.MoveLookup, step.Transaction.ProviderConfigID == "", name)
		if c.asks {
			require.Contains(t, asked, charging.NeedProbe, name)
		} else {
			require.NotContains(t, asked, charging.NeedProbe, name)
		}
		if c.move == payment.MoveHold {
			require.Equal(t, routing.Cooldown, step.Wait)
		}
	}
}

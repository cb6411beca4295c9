package charging

import (
	"time"

	"perennial/billing/answer"
	"perennial/billing/payment"
	"perennial/billing/routing"
)

// Facts are read only where a decision needs them: most charges need the accounts of their environment, and nothing
// else. So Next names one fact at a time, and is called again when that is known.

// Fact is a kind of thing that a decision may turn on.
type Fact int

// The facts, with the field of Known that each fills.
const (
	NeedCallbacks Fact = iota // CallbacksTell
	NeedElsewhere             // Elsewhere: of accounts other than AccountID, which is empty where none had the transaction
	NeedSends                 // Sends
	NeedRouting               // Routing, and its Accounts
	NeedAccount               // Accounts: AccountID, opened
	NeedReference             // Reference: of AccountID, where Reference is known already
	NeedEvidence              // Evidence: of AccountID; Named: also what counts only once the reference is known
	NeedRefusal               // Refusal: evidence of AccountID, also what counts only once the reference is known
	NeedLastCall              // LastCall
	NeedProbe                 // Probes: AccountID
	NeedSearch                // Search, and its Accounts, including those deleted after Since
)

// Need is a fact that must be known first.
type Need struct {
	Of        Fact
	AccountID string
	Reference string
	Named     bool
	Since     time.Time
}

// Known has the facts found so far; nil: not needed yet.
type Known struct {
	CallbacksTell *bool           // whether callbacks say something about the transaction
	Elsewhere     *Elsewhere      // what callbacks of another account say
	Sends         *[]payment.Send // of the transaction
	Routing       *Routing
	Accounts      map[string]Account // by id
	Reference     *string            // the provider's, in pending callbacks; empty: none has one
	Evidence      *[]Evidence
	Refusal       *[]Evidence
	LastCall      *time.Time      // when the last call about the transaction began; zero: there was none
	Probes        map[string]bool // by account: whether this payment is its probe
	Search        *Found
}

// Elsewhere is the oldest pending callback of another account than the transaction's; the zero value: there is none.
type Elsewhere struct {
	AccountID string
	Reference string
	Key       string
}

// Evidence is a callback that is proof without a look-up.
type Evidence struct {
	CallbackID string
	Answer     answer.Answer
}

// Routing has the facts that the choice of an account depends on.
type Routing struct {
	Paused     bool     // charging, in the environment
	Revision   int64    // of the environment's accounts
	AccountIDs []string // in Known.Accounts
	Rules      []routing.Rule
}

// Account is an account at a provider.
type Account struct {
	routing.Account

	CreatedAt time.Time
	Opening   Opening
	Protocol  payment.Protocol // of an Open account
	// FindsTransaction: one look-up finds the operation of any send of a transaction.
	FindsTransaction bool
}

// Opening says whether an account's credentials could be opened.
type Opening int

// The openings.
const (
	Untried Opening = iota
	Open
	Closed
)

// opened returns an account that is open or closed; false: that must be found out first.
func (d *decision) opened(id string) (Account, bool) {
	a, known := d.Known.Accounts[id]
	if !known || a.Opening == Untried {
		return a, d.needs(Need{Of: NeedAccount, AccountID: id})
	}
	return a, true
}

// probes returns whether this payment probes an account; known is false where that must be claimed first.
func (d *decision) probes(id string) (mine, known bool) {
	mine, known = d.Known.Probes[id]
	if !known {
		d.needs(Need{Of: NeedProbe, AccountID: id})
	}
	return mine, known
}

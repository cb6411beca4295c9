// Package charging decides the next step of a charge or a refund: send it, ask its provider, hold it, search a send
// that a restored database has lost, wait, believe a callback, or leave it to a person. It composes payment (what may
// be sent again), routing (which account takes it) and the findings of earlier steps. It does not own the consequences
// of an answer (recording), nor reads and calls (activities): it names the fact that it needs, and decides again when
// that is known.
package charging

import (
	"cmp"
	"time"

	"perennial/billing/payment"
	"perennial/billing/routing"
)

// Situation has the facts about a transaction that is to be carried forward.
type Situation struct {
	Transaction payment.Transaction // as its row is, under lock
	Country     string              // of the payer, ISO 3166-1 alpha-2; empty: not known
	Erased      bool                // the payer
	// RestoredAt is the real time at which the database came under its present server: earlier sends may be lost.
	RestoredAt time.Time
	Now        time.Time // real
	Progress   Progress
	Known      Known
}

// Step is the next action. Stages of the decision fill its parts.
type Step struct {
	Undecided
	Target
	Subject
	Route
	Search

	Move        payment.Move
	Transaction payment.Transaction // as it is to be from here on
	Row         payment.Transaction // before an account was chosen for it
	RestoredAt  time.Time           // as in Situation
	Asked       bool                // because of callbacks
	MayRepeat   bool                // a first send, which a restored database may have forgotten
	Handed      payment.Handed      // to complete the charge
}

// Undecided says why a step cannot be decided; the zero value: it is decided.
type Undecided struct {
	Need *Need // the fact that is needed first
	// Unreachable is the only account that can say how to continue, where it cannot be opened; empty: there is none.
	// Nothing can be done then.
	Unreachable string
}

// Target is the account to speak to; the zero value: none can take the transaction.
type Target struct {
	AccountID string
	Provider  string
	Protocol  payment.Protocol
}

// Subject is the part of the transaction that a step is about.
type Subject struct {
	Number   int           // of the send that it is, or is about; 0: none
	About    string        // the operation that a look-up asks about; empty: the transaction's
	Hint     string        // the transaction's reference where only callbacks have named it
	Earlier  *payment.Send // at another account, which it asks about; nil: it is about the current one
	Evidence []Evidence    // of callbacks, the one to believe first
}

// Route is the result of choosing an account for a new send.
type Route struct {
	Reason     string        // why this account gets it, or why none does
	Backups    int           // how many more accounts can take it
	Hold       payment.Hold  // where no account can take it now
	Wait       time.Duration // and for how long; zero: as the rules say
	Unreadable []string      // accounts that were passed over because their credentials cannot be opened
}

// Search is a question about a send that a restored database may have lost.
type Search struct {
	Lost      *Lost              // the send that is looked for; nil: none is
	Questions []payment.Question // the possible questions, the best first: see Asking

	search *search // that Questions are of
}

// Next decides the step.
func Next(s Situation) Step {
	d := decision{Situation: s}
	for _, stage := range []func() bool{d.begin, d.reach, d.move, d.look, d.claim} {
		if !stage() {
			break
		}
	}
	return d.step
}

// decision is a step that is being decided. Each stage returns false where nothing is left to decide, or where
// something must be known first.
type decision struct {
	Situation
	step    Step
	account *Account // of the step; nil: no account can take it
	// unopened is the account of a charge that is looked for, where it cannot be opened; empty: it can.
	unopened string
	// unclaimed: it would probe a resting account, and has not claimed that yet.
	unclaimed bool
}

// needs sets the fact that is needed first.
func (d *decision) needs(n Need) bool {
	d.step.Need = &n
	return false
}

func (d *decision) begin() bool {
	txn := d.Transaction
	if d.Erased {
		txn = txn.PayerErased(d.Now)
	}
	txn = txn.Restored(d.RestoredAt)
	d.step = Step{
		Move: payment.MoveNone, Transaction: txn, Row: txn, RestoredAt: d.RestoredAt, Asked: d.Progress.Asked,
		Subject: Subject{Number: txn.SendNumber},
	}
	if txn.MayRepeat(d.RestoredAt) && !d.asked() {
		return false
	}
	return txn.Status == payment.Pending || txn.ProviderConfigID != "" // else it never had a provider
}

// asked notes whether callbacks say something about a charge that may repeat a lost send, once for all steps of an
// activity. It needs no signal: none reaches an exchange that is repeated while an account does not answer.
func (d *decision) asked() bool {
	switch {
	case d.Progress.CallbacksDone:
		d.step.Asked = false
	case d.Progress.Asked:
	case d.Known.CallbacksTell == nil:
		return d.needs(Need{Of: NeedCallbacks})
	default:
		d.step.Asked = *d.Known.CallbacksTell
	}
	return true
}

// mayRepeat reports whether the transaction may repeat a send that a restored database has lost.
func (d *decision) mayRepeat() bool { return d.step.Transaction.MayRepeat(d.RestoredAt) }

// choose makes an account the one to speak to.
func (d *decision) choose(a Account) {
	d.account = &a
	d.step.AccountID, d.step.Provider, d.step.Protocol = a.ID, a.Provider, a.Protocol
	if d.step.Earlier == nil {
		d.step.Transaction.Provider, d.step.Transaction.ProviderConfigID = a.Provider, a.ID
		return
	}
	d.step.Earlier.Provider = a.Provider
}

// unchosen removes the account that routing chose for the transaction: a row must not show an account that never had
// the transaction.
func (s *Step) unchosen() {
	s.Transaction.Provider, s.Transaction.ProviderConfigID = s.Row.Provider, s.Row.ProviderConfigID
}

// payment returns what routing must know of the transaction.
func (d *decision) payment() routing.Payment {
	t := d.step.Transaction
	return routing.Payment{
		Country:  cmp.Or(d.Country, routing.CountryOf(t.Method.Details.PhoneNumber)),
		Currency: t.Currency, Method: t.Method.Type, Amount: t.Amount, Provider: t.Method.Details.Provider,
	}
}

// move decides the move.
func (d *decision) move() bool {
	if d.account == nil {
		d.step.Move = d.step.Transaction.Hold(d.RestoredAt)
		return true
	}
	said, ok := d.callbacks()
	if !ok {
		return false
	}
	s := &d.step
	if s.Earlier != nil {
		s.Move = s.Earlier.Ask(s.Protocol, said)
	} else {
		known := s.Transaction.ProviderRef
		if s.Transaction, s.Move, s.About = s.Protocol.Attend(s.Transaction, s.Asked, said, d.Now); known == "" {
			s.Hint = s.Transaction.ProviderRef
		}
	}
	if s.Move != payment.MoveBelieve {
		s.Evidence = nil
	}
	return true
}

// callbacks returns what pending callbacks of the account say about the transaction. Evidence is read even if it was
// not asked for: its signal may have been lost.
func (d *decision) callbacks() (said payment.Callbacks, ok bool) {
	t := d.step.Transaction
	if d.step.Asked {
		if d.Known.Reference == nil {
			return said, d.needs(Need{Of: NeedReference, AccountID: d.account.ID, Reference: t.ProviderRef})
		}
		said.Ref = *d.Known.Reference
	}
	if d.step.Protocol.LookupByKey {
		return said, true
	}
	if d.Known.Evidence == nil {
		named := t.ProviderRef != "" || t.Status != payment.Pending || d.step.Earlier != nil
		return said, d.needs(Need{Of: NeedEvidence, AccountID: d.account.ID, Named: named})
	}
	d.step.Evidence = *d.Known.Evidence
	said.Evidence = len(d.step.Evidence) > 0
	return said, true
}

package payment

import (
	"cmp"
	"time"
)

// Move is the next thing to do about a transaction, so that money moves at most once: after the first send only the
// same key is repeated, inside the time in which the provider replays its first answer; later only questions are asked,
// where the provider can be asked, and else its callbacks are waited for.
type Move string

// The moves.
const (
	MoveNone     Move = "none"     // final, in review, or not due yet
	MoveHold     Move = "hold"     // no provider can take it now
	MoveAbandon  Move = "abandon"  // no longer wanted, and never sent or never to be completed: canceled without a call
	MoveSend     Move = "send"     // first send under a new key
	MoveReplay   Move = "replay"   // repeat under the same key
	MoveLookup   Move = "lookup"   // ask what became of it
	MoveCancel   Move = "cancel"   // ask the provider to cancel it; the answer tells its state
	MoveComplete Move = "complete" // hand over what the payer's browser brought back from the provider's page
	MoveBelieve  Move = "believe"  // a callback's own evidence is the answer, since the provider cannot be asked
	MoveAwait    Move = "await"    // nothing can be asked: only a callback can tell
	MoveReview   Move = "review"   // nothing can be asked, and no callback has come: a person must find out
)

// Protocol has the capabilities of a provider, from its adapter. All times are real. See providers.Capabilities, whose
// fields have the same names and meanings. Its methods decide about a transaction with that provider: the next move,
// and the transaction after an exchange.
type Protocol struct {
	Window       time.Duration // since the first send, in which the same key replays; zero: nothing may be repeated
	LookupByKey  bool
	LookupByRef  bool
	Cancel       bool
	AbsenceAfter time.Duration // zero: a look-up never proves absence
	AbsenceGap   time.Duration // zero: one look-up is proof
	Checks       []time.Duration
	Expiry       time.Duration
	// ActionExpiry is the time that a payer has to confirm a charge; zero: payers are not asked.
	ActionExpiry time.Duration
	Completes    bool // only values from the payer's browser complete a charge
}

// Configuration has an installation's settings for every provider's Protocol.
type Configuration struct {
	Page          bool          // it has a page of its own to which it can send payers
	ConfirmWithin time.Duration // that payers have for it; zero: confirmWithin
	AbsenceGap    time.Duration // replaces a provider's, where it has one; zero: that stays
}

// confirmWithin is the time that a payer has to confirm a charge.
const confirmWithin = 24 * time.Hour

// Configured returns the protocol with the settings of an installation. asksPayer: the provider has a page where a
// payer confirms a charge. The time for that is no longer than the provider keeps a charge open. Where one look-up
// proves absence, no gap is needed, whatever is configured.
func (p Protocol) Configured(asksPayer bool, c Configuration) Protocol {
	p.ActionExpiry = 0
	if asksPayer && c.Page {
		p.ActionExpiry = cmp.Or(c.ConfirmWithin, confirmWithin)
	}
	if p.Expiry > 0 {
		p.ActionExpiry = min(p.ActionExpiry, p.Expiry)
	}
	if p.AbsenceGap > 0 {
		p.AbsenceGap = cmp.Or(c.AbsenceGap, p.AbsenceGap)
	}
	return p
}

// patience is the time to wait for a callback after the last moment at which anything else could have decided the
// transaction. Providers repeat a callback for a day and longer, in growing gaps.
const patience = 24 * time.Hour

// lateFloor is the result of late where the provider never remembers a key: no restore of a database is faster.
const lateFloor = time.Minute

// canAsk reports whether the provider can be asked about an operation with the reference ref; empty: none is known.
func (p Protocol) canAsk(ref string) bool { return p.LookupByKey || p.LookupByRef && ref != "" }

// repeats returns the time after the first send in which the same key may be sent again. Where a look-up can prove
// absence sooner, repeats end when that begins: one of them could arrive after the proof.
func (p Protocol) repeats() time.Duration {
	if p.LookupByKey && p.AbsenceAfter > 0 {
		return min(p.Window, p.AbsenceAfter)
	}
	return p.Window
}

// settled returns the time after the first send from which a look-up that finds nothing proves absence. The last repeat
// may be as young as AbsenceAfter less the time of repeats; where one look-up is proof, it gets the whole time.
func (p Protocol) settled() time.Duration {
	if p.AbsenceGap > 0 {
		return max(p.AbsenceAfter, p.repeats())
	}
	return p.AbsenceAfter + p.repeats()
}

// late returns the delay after which a first send may hide an earlier one that both the provider and a restored
// database no longer have.
func (p Protocol) late() time.Duration {
	switch {
	case p.Window == 0:
		return lateFloor
	case p.LookupByKey:
		return p.Window / 2
	}
	return p.Window
}

// gap returns the wait before check n (from 1).
func (p Protocol) gap(n int) time.Duration {
	if len(p.Checks) > 0 {
		return p.Checks[min(max(n, 1), len(p.Checks))-1]
	}
	return checkGap(n)
}

// Next returns the move at now, which is real time. asked: the provider sent a callback about the transaction. Then a
// closed one is looked up again too, since a late success may still count, a bank may return a refund, and a charge may
// have been captured twice.
func (p Protocol) Next(t Transaction, asked bool, now time.Time) Move {
	switch {
	case t.Status != Pending && asked && t.EverSent() && p.canAsk(t.ProviderRef):
		return MoveLookup
	case t.Status != Pending:
		return MoveNone
	case !t.ParkedAt.IsZero() && (!asked || !t.EverSent()): // what was not sent is not sent before a person has decided
		return MoveNone
	case t.EverSent():
		return p.follow(t, now)
	case p.lateSend(t, now) && p.LookupByKey:
		return MoveLookup
	case !t.CancelRequestedAt.IsZero():
		return MoveAbandon
	case p.lateSend(t, now):
		return MoveReview
	}
	return MoveSend
}

// follow decides the move of a pending transaction that may have reached the provider.
func (p Protocol) follow(t Transaction, now time.Time) Move {
	unwanted := !t.CancelRequestedAt.IsZero() || p.Overdue(t, now)
	switch {
	case unwanted && p.uncompleted(t):
		return MoveAbandon
	case p.completable(t, now):
		return MoveComplete
	case unwanted && p.Cancel && (p.canAsk(t.ProviderRef) || now.Before(p.givenUpAt(t))):
		return MoveCancel
	case p.canAsk(t.ProviderRef) && (t.ProviderRef != "" || !p.repeatable(t, now)):
		return MoveLookup
	case t.ProviderRef == "" && p.repeatable(t, now):
		// with a reference, a repeat would say no more than the answer that had it
		return p.repeat(t)
	case !now.Before(p.givenUpAt(t)):
		return MoveReview
	}
	return MoveAwait
}

// repeat decides the move of a transaction whose request can be sent again. A provider also replays its own 500 under
// the same key: then only a look-up can tell. Inside the window finding nothing proves nothing, so the two take turns.
func (p Protocol) repeat(t Transaction) Move {
	if p.LookupByKey && t.Checks > 0 && t.Checks%2 == 0 {
		return MoveLookup
	}
	return MoveReplay
}

// repeatable reports whether the request can and may be sent again under its key. Not after the customer was erased,
// since the method is gone; nor where it is to be canceled, since it may never have arrived; nor once its absence has
// begun to count.
func (p Protocol) repeatable(t Transaction, now time.Time) bool {
	erased := t.Type == Charge && t.Method == (Method{})
	return now.Sub(t.FirstSentAt) < p.repeats() && !erased && t.CancelRequestedAt.IsZero() && t.NotFoundCount == 0
}

// givenUpAt returns the time from which callbacks are no longer awaited, including that of a cancel. A restored
// database may have lost the time of the send.
func (p Protocol) givenUpAt(t Transaction) time.Time {
	sent := t.FirstSentAt
	if sent.IsZero() {
		sent = t.SendDueAt
	}
	at := sent.Add(max(p.Window, p.Expiry) + patience)
	if t.CancelRequestedAt.IsZero() {
		return at
	}
	return later(at, t.CancelRequestedAt.Add(patience))
}

// InVain reports whether look-ups have been tried for long enough: the provider never gave a name for the operation,
// and never proves that it did not get the request. Callbacks may still tell.
func (p Protocol) InVain(t Transaction, now time.Time) bool {
	endless := t.ProviderRef == "" && p.LookupByKey && p.AbsenceAfter == 0
	return t.Status == Pending && t.EverSent() && endless && !now.Before(p.givenUpAt(t))
}

// PayerErased returns a charge of a customer who was erased meanwhile. A charge that was not sent, or waits for the
// payer's confirmation, is not wanted any more; any other keeps its protocol.
func (t Transaction) PayerErased(now time.Time) Transaction {
	undone := !t.EverSent() || !t.Action.ExpiresAt.IsZero()
	if t.Type == Charge && t.Status == Pending && undone && t.CancelRequestedAt.IsZero() {
		t.CancelRequestedAt = now
	}
	return t
}

// Callbacks has the content of a transaction's pending callbacks.
type Callbacks struct {
	Ref      string // the provider's name for the operation; empty: none has it
	Evidence bool   // one of them is proof without a look-up
}

// Attend returns the move, as Next, for a transaction with pending callbacks. Evidence counts only where the provider
// cannot be asked. It returns the transaction with the callbacks' reference where it had none, since a callback may
// carry the reference of a lost response; and the other operation that a look-up asks about, empty: the transaction's
// own. Callbacks about a second operation of a charge that has ended mean that the provider may have taken its money
// twice.
func (p Protocol) Attend(
	t Transaction, asked bool, said Callbacks, now time.Time,
) (_ Transaction, move Move, about string) {
	if t.ProviderRef == "" && (p.LookupByKey || p.LookupByRef) { // else the evidence says which operation it is about
		t.ProviderRef = said.Ref
	}
	if said.Evidence && !p.canAsk(t.ProviderRef) {
		return t, MoveBelieve, ""
	}
	if asked && t.Type == Charge && t.Status != Pending && said.Ref != t.ProviderRef && said.Ref != "" && p.LookupByRef {
		return t, MoveLookup, said.Ref
	}
	return t, p.Next(t, asked, now), ""
}

// lateSend reports whether the first send comes so late that the provider may have forgotten an earlier one under the
// same key. A database restored to a time before that send does not have it, so the provider is asked first, once. A
// charge was not sent while it was held back.
func (p Protocol) lateSend(t Transaction, now time.Time) bool {
	since := later(later(t.SendDueAt, t.HeldBack.At), t.UnsentAt)
	return t.NotFoundCount == 0 && !t.SendDueAt.IsZero() && now.Sub(since) >= p.late()
}

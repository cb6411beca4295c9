package payment

import (
	"time"

	"perennial/billing/answer"
)

// Some providers move no money when a payer has confirmed a charge on their page: the payer's browser brings something
// back, and the charge is completed with it (Protocol.Completes).

// uncompleted reports whether the charge waits for its payer, and the provider was not asked to complete it. Only our
// request can make it succeed then, so that a cancel ends it without one.
func (p Protocol) uncompleted(t Transaction) bool {
	return p.Completes && t.wantsPayer() && t.Action.HandedAt.IsZero()
}

// completable reports whether the provider is to complete the charge. A repeat has the same key, so that it ends with
// the time in which the provider remembers that.
func (p Protocol) completable(t Transaction, now time.Time) bool {
	fresh := t.Action.HandedAt.IsZero() || now.Sub(t.Action.HandedAt) < p.Window
	return p.Completes && t.Action.Brought != "" && t.CancelRequestedAt.IsZero() && fresh
}

// Restored returns the charge after a restore of the database at a time, or a takeover by another server: the payer's
// return, and the request to complete the charge, may be lost. So a charge whose payer was asked before does not end
// without a request.
func (t Transaction) Restored(at time.Time) Transaction {
	asked := t.Status == Pending && t.wantsPayer() && t.FirstSentAt.Before(at)
	if asked && t.Action.HandedAt.IsZero() {
		t.Action.HandedAt = at
	}
	return t
}

// HandingOver marks that the provider gets the values of the payer's browser: after it, silence means "unknown".
func (t Transaction) HandingOver(now time.Time) Transaction {
	if t.Action.HandedAt.IsZero() {
		t.Action.HandedAt = now
	}
	return t
}

// Handed has the values that an exchange handed over.
type Handed struct {
	Brought string
	Again   bool // the provider may have had it before, or another completing value
}

// Handing returns what would be handed over now.
func (t Transaction) Handing() Handed {
	return Handed{Brought: t.Action.Brought, Again: !t.Action.HandedAt.IsZero()}
}

// HandedOver notes that the provider has answered to the values of the payer's browser. asked: it asks the payer again;
// refused: it refuses the values, and the payer may bring others. Otherwise the provider has all that it needs. The
// refusal of one value says nothing about others that the provider may have had before, and the refusal of a repeat
// nothing about the first request: then the charge does not end without a request.
func (t Transaction) HandedOver(h Handed, refused, asked bool) Transaction {
	if t.Action.Brought = ""; asked || refused && !h.Again {
		t.Action.HandedAt = time.Time{}
	}
	return t
}

// Overtaken reports whether an answer to a completion decides nothing, since its value no longer waits for an answer. A
// worker that hung may record the answer after another one was answered, and after the payer brought another value: it
// says nothing about that value. Its own proof about the charge counts as long as no newer value waits; a success
// always does.
func (t Transaction) Overtaken(h Handed, o answer.Outcome) bool {
	newer := t.Action.Brought != "" && t.Action.Brought != h.Brought
	answered := t.Action.Brought == "" && !o.Final()
	return t.Status == Pending && o != answer.Succeeded && (newer || answered)
}

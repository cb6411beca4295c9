package payment

import (
	"time"

	"perennial/billing/answer"
)

// Send is one request to move the money of a transaction, to one provider under one key. Its repeats have the same key.
type Send struct {
	Number           int // from 1
	Provider         string
	ProviderConfigID string
	Key              string
	Reason           string // why this provider: of the routing decision
	SentAt           time.Time
	ProviderRef      string
	Outcome          answer.Outcome // of its last answer; empty: none came yet
}

// Ask decides how to learn the outcome of an earlier send with open callbacks. said has their contents.
func (s Send) Ask(p Protocol, said Callbacks) Move {
	ref := said.Ref
	if ref == "" {
		ref = s.ProviderRef
	}
	switch {
	case p.canAsk(ref):
		return MoveLookup
	case said.Evidence:
		return MoveBelieve
	}
	return MoveAwait
}

// EverSent reports whether the provider may know the transaction: if there is a provider's reference, a restored
// database may have lost the send. Before it is sent, a transaction has no provider. One that was paid outside is never
// sent.
func (t Transaction) EverSent() bool {
	return !t.External() && (t.ProviderRef != "" || !t.FirstSentAt.IsZero())
}

// resends bounds the new sends of a charge after its provider has proven that it does not have it. Two are enough for
// faults of single requests; a provider that loses three gets no fourth.
const resends = 2

// Anew returns a charge that its provider provably never received as one that is due for a first send: under the next
// key, and to the account that routing chooses then. It returns false for transactions that fail instead: a refund; a
// charge that is to be canceled, or has a provider's reference, so that the provider had it once; and one that was sent
// again resends times. sends are those of the transaction. now is real time.
func (t Transaction) Anew(sends []Send, now time.Time) (Transaction, bool) {
	lost := 0
	for _, s := range sends {
		if s.Number < t.SendNumber && s.Outcome == answer.NotFound {
			lost++
		}
	}
	if t.Type != Charge || t.ProviderRef != "" || !t.CancelRequestedAt.IsZero() || lost >= resends {
		return t, false
	}
	t.FirstSentAt, t.NotFoundAt, t.NotFoundCount, t.Checks = time.Time{}, time.Time{}, 0, 0
	t.Silence = Silence{}
	t.SendDueAt, t.NextCheckAt = now, now
	t.FailureReason = "The provider never received this payment. It is sent again."
	return t, true
}

// Hold records that no provider could take a first send.
type Hold struct {
	At       time.Time // real; it was not sent until then, when that was last found. Zero: nothing is held
	Revision int64     // of the environment's accounts, at which it was found; a later one may take it, and wakes it
	ByStop   bool      // because charging is paused
	// ForTurn: its account takes no more requests a second, and it has a promised turn. No revision of the accounts
	// wakes it: all would come at once.
	ForTurn bool
}

// Turn returns the promised time of a payment that waits for its turn; zero: it has none.
func (t Transaction) Turn() time.Time {
	if t.HeldBack.ForTurn {
		return t.NextCheckAt
	}
	return time.Time{}
}

// Hold decides what to do with a transaction that no provider can take now. restored is as in MayRepeat.
func (t Transaction) Hold(restored time.Time) Move {
	if !t.CancelRequestedAt.IsZero() && !t.MayRepeat(restored) {
		return MoveAbandon
	}
	return MoveHold
}

// Held notes that no provider could take the transaction, and why. It is tried again after wait; zero: in growing gaps.
// A charging stop wakes it when it ends, and until then costs nothing: neither events of its workflow nor the count
// that spaces out checks. restored is as in MayRepeat: a charge that may repeat a lost send may have been sent.
func (t Transaction) Held(why string, wait time.Duration, h Hold, restored, now time.Time) Transaction {
	h.At = now
	if t.MayRepeat(restored) {
		h.At = t.unsentUntil()
	}
	t.HeldBack, t.FailureReason = h, why
	if h.ByStop {
		t.Checks, t.NextCheckAt = max(t.Checks, 1), now.Add(stoppedGap)
		return t
	}
	t.Checks++
	if wait == 0 {
		wait = min(checkGap(t.Checks), heldGap)
	}
	t.NextCheckAt = now.Add(wait)
	return t
}

const (
	// heldGap is the longest wait between two attempts to find a provider.
	heldGap = 5 * time.Minute
	// stoppedGap is the wait while charging is paused. It proves each day anew that nothing was sent, which must be
	// younger than any provider's memory of a key where the provider cannot be asked; see lateSend.
	stoppedGap = 24 * time.Hour
)

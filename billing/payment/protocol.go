package payment

import "time"

// Move is the next thing to do about a transaction, so that money moves at most once: after the first send only the
// same key is repeated, inside the time in which the provider replays its first answer; later only questions are asked.
type Move string

// The moves.
const (
	MoveNone    Move = "none"    // final, in review, or not due yet
	MoveAbandon Move = "abandon" // never sent and no longer wanted: canceled without a call
	MoveSend    Move = "send"    // first send under a new key
	MoveReplay  Move = "replay"  // repeat under the same key
	MoveLookup  Move = "lookup"  // ask what became of it
	MoveCancel  Move = "cancel"  // ask the provider to cancel it; the answer tells its state
)

// Protocol is what a provider allows. Window is how long, in real time since the first send, the same key replays.
// AbsenceGap is how far apart two "not found" must be, both after the window, to prove that it never arrived.
type Protocol struct {
	Window     time.Duration
	AbsenceGap time.Duration
}

// DefaultAbsenceGap outlasts the lag of a provider's search index (Stripe: an hour in outages).
const DefaultAbsenceGap = time.Hour

// Next decides the move at now, which is real time. asked tells that the provider itself sent word about the
// transaction: then a closed one is looked at again too, since a late success may still count, a bank may return a
// refund, and a charge may have been captured twice.
func (t Transaction) Next(p Protocol, asked bool, now time.Time) Move {
	switch {
	case t.Status != Pending && asked && t.everSent():
		return MoveLookup
	case t.Status != Pending:
		return MoveNone
	case !t.ParkedAt.IsZero() && !asked:
		return MoveNone
	case !t.everSent() && t.lateSend(p, now):
		return MoveLookup
	case !t.everSent() && !t.CancelRequestedAt.IsZero():
		return MoveAbandon
	case !t.everSent():
		return MoveSend
	case !t.CancelRequestedAt.IsZero():
		return MoveCancel
	case t.ProviderRef != "":
		return MoveLookup
	case now.Sub(t.FirstSentAt) >= p.Window:
		return MoveLookup
	case t.Type == Charge && t.Method == (Method{}):
		return MoveLookup // the customer was erased meanwhile: the request cannot be repeated, only asked after
	case t.Checks > 0 && t.Checks%2 == 0:
		// A provider also replays its own 500 under the same key: then only a look-up can tell. Inside the window
		// finding nothing proves nothing, so the two take turns.
		return MoveLookup
	}
	return MoveReplay
}

// PayerErased returns a charge of a customer who was erased meanwhile. What was not sent is not wanted any more; what
// was sent keeps its protocol.
func (t Transaction) PayerErased(now time.Time) Transaction {
	if t.Type == Charge && t.Status == Pending && !t.everSent() && t.CancelRequestedAt.IsZero() {
		t.CancelRequestedAt = now
	}
	return t
}

// Attend is Next for a transaction whose pending callbacks name the provider's operation told; empty: they name none.
// It returns the transaction with that reference where it had none, since a callback may carry what a lost response
// had; and the other operation that a look-up asks about, empty: the transaction's own. Callbacks about a second
// operation of a charge that has ended mean that the provider may have taken its money twice.
func (t Transaction) Attend(
	p Protocol, asked bool, told string, now time.Time,
) (_ Transaction, move Move, about string) {
	if t.ProviderRef == "" {
		t.ProviderRef = told
	}
	if asked && t.Type == Charge && t.Status != Pending && told != t.ProviderRef && told != "" {
		return t, MoveLookup, told
	}
	return t, t.Next(p, asked, now), ""
}

// lateSend reports whether the first send comes so late that the provider may have forgotten an earlier one under the
// same key. A database restored to a moment before that send does not know of it, so the provider is asked first, once.
func (t Transaction) lateSend(p Protocol, now time.Time) bool {
	return t.NotFoundCount == 0 && !t.SendDueAt.IsZero() && now.Sub(t.SendDueAt) >= p.Window/2
}

// everSent is also true of what the provider has a name for: a restored database may have forgotten the send.
func (t Transaction) everSent() bool { return t.ProviderRef != "" || !t.FirstSentAt.IsZero() }

// Sending marks the send: after it, silence means "unknown", and an answer from before it proves nothing.
func (t Transaction) Sending(now time.Time) Transaction {
	if t.FirstSentAt.IsZero() {
		t.NotFoundCount, t.NotFoundAt = 0, time.Time{}
		t.FirstSentAt, t.NextCheckAt = now, now.Add(checkGap(1)) // if the worker dies before it records the answer
		t.SendNumber++
	}
	return t
}

// Waiting notes an answer that decides nothing; the transaction stays pending and is looked at again later. hint is how
// long the provider asked us to wait.
func (t Transaction) Waiting(hint time.Duration, now time.Time) Transaction {
	t.Checks++
	t.NextCheckAt = now.Add(max(checkGap(t.Checks), hint))
	return t
}

// NotTaken notes the proof that the provider did not take the last send. Under a key that was never sent before the
// next send is a first one again; under a repeated key an earlier send may still have arrived, so the key stays.
func (t Transaction) NotTaken(was Move, hint time.Duration, now time.Time) Transaction {
	if was == MoveSend {
		t.FirstSentAt = time.Time{}
	}
	t.Checks++
	t.NextCheckAt = now.Add(max(min(checkGap(t.Checks), refusedGap), hint))
	return t
}

// refusedGap is the longest wait after a send that was surely not taken: nothing is unknown then, and money is late.
const refusedGap = time.Minute

// Absent notes that the provider knows nothing of the transaction. It answers true when that is proven: twice, far
// enough apart, and so long after the last send that nothing can still arrive.
func (t Transaction) Absent(p Protocol, now time.Time) (Transaction, bool) {
	if !t.everSent() { // asked before a late first send: it may go out now
		t.NotFoundCount, t.NotFoundAt, t.NextCheckAt = 1, now, now
		return t, false
	}
	t = t.Waiting(0, now)
	if now.Sub(t.FirstSentAt) < p.Window {
		if t.NotFoundAt.IsZero() {
			t.NotFoundAt = now // no proof; see KeyReused
		}
		return t, false
	}
	if t.NotFoundCount == 0 {
		t.NotFoundCount, t.NotFoundAt = 1, now
		t.NextCheckAt = now.Add(p.AbsenceGap)
		return t, false
	}
	t.NotFoundCount++
	return t, now.Sub(t.NotFoundAt) >= p.AbsenceGap
}

// Park stops asking: nothing more can be learned without a person.
func (t Transaction) Park(now time.Time) Transaction {
	t.ParkedAt, t.NextCheckAt = now, time.Time{}
	return t
}

// Close ends the attempt with a final status; one that failed then says why, with a code. now is the subscription's own
// time.
func (t Transaction) Close(status Status, now time.Time) (Transaction, error) {
	if !CanBecome(t.Type, t.Status, status) {
		return t, ErrFinal
	}
	t.Status, t.CompletedAt = status, now
	t.NextCheckAt, t.ParkedAt = time.Time{}, time.Time{}
	switch status {
	case Success, Refunded:
		t.FailureCode, t.FailureReason = "", ""
	case Failed, Declined:
		t = t.explained()
	default: // canceled: a reason is welcome, not needed
	}
	return t, nil
}

// checkGap is how long to wait before check n (from 1): soon at first, then ever more patiently, at most an hour.
func checkGap(n int) time.Duration {
	gaps := [...]time.Duration{
		10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute,
	}
	if n <= len(gaps) {
		return gaps[max(n, 1)-1]
	}
	return time.Hour
}

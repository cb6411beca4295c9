package payment

import "time"

// A lost send is one that a restored database has forgotten. Its charge would be sent again as if for the first time, to
// the account that routing chooses now and under a key of its own, and captured twice. So it is looked for first.

const (
	// lostRounds is how often every account may have refused a charge in the window that is lost, and still be asked under
	// the right key. Refusals follow each other after 10 s, 30 s and then a minute.
	lostRounds = 4
	// lostLag is how long after the restore look-ups find what was sent before it: search indexes lag that much, and what
	// was in flight has arrived.
	lostLag = time.Minute
	// lostChecks and lostPatience are how often that is tried, and for how long, before a person must find out. Checks
	// count also what was tried before the restore, and while an account asks us to come back in a second.
	lostChecks   = 300
	lostPatience = 24 * time.Hour
)

// MayRepeat reports whether the next send of the charge, or the next repeat of its first one, may follow sends that a
// restored database has lost: the charge waited for one of them when the restored state was saved. restored is when the
// database came under its present server. Real times.
func (t Transaction) MayRepeat(restored time.Time) bool {
	since := t.SendDueAt
	if !t.FirstSentAt.IsZero() {
		since = t.FirstSentAt
	}
	open := t.Type == Charge && t.Status == Pending && t.ProviderRef == ""
	return open && !since.IsZero() && since.Before(restored) && t.UnsentAt.Before(restored)
}

// Holder is an account that may have a lost send.
type Holder struct {
	AccountID string
	CanAsk    bool // it finds an operation by its key
	// ByTransaction: one look-up finds that of any send.
	ByTransaction bool
}

// Question asks an account for what a lost send would have become there.
type Question struct {
	AccountID string
	Number    int // of the send, which its key follows from
}

// Search is how lost sends of a charge are looked for.
type Search struct {
	Ask  []Question    // in order; empty: nobody can be asked
	Wait time.Duration // before the first question
	// Blind: an account that cannot be asked may have it too, so that finding nothing proves nothing.
	Blind bool
}

// Search returns how to look for lost sends of a charge that MayRepeat says may have some. holders are the accounts that
// could have taken it. A single one needs no wait: what its look-ups do not find yet, it knows by the key. now is real
// time.
func (t Transaction) Search(holders []Holder, restored, now time.Time) Search {
	var s Search
	for n := range lostRounds * len(holders) {
		for _, h := range holders {
			if h.CanAsk && (n == 0 || !h.ByTransaction) {
				s.Ask = append(s.Ask, Question{h.AccountID, t.SendNumber + 1 + n})
			}
		}
	}
	if len(holders) > 1 && len(s.Ask) > 0 {
		s.Wait = max(0, restored.Add(lostLag).Sub(now))
	}
	for _, h := range holders { // what was sent before is repeated under its key, at its account
		s.Blind = s.Blind || !h.CanAsk && len(holders) > 1 && !t.EverSent()
	}
	return s
}

// FoundAt returns the charge as that of a lost send which its provider has: it is followed there from now on.
func (t Transaction) FoundAt(s Send, now time.Time) Transaction {
	t.Provider, t.ProviderConfigID = s.Provider, s.ProviderConfigID
	t.SendNumber, t.FirstSentAt, t.NextCheckAt = s.Number, now, now
	t.Checks, t.NotFoundCount, t.NotFoundAt = 0, 0, time.Time{}
	t.HeldBack, t.FailureReason = Hold{}, ""
	return t
}

// Nowhere notes that no account has a lost send of the charge: the next move is as if the database had lost nothing.
func (t Transaction) Nowhere(now time.Time) Transaction {
	t.UnsentAt, t.NextCheckAt = now, now
	t.FailureReason = "" // that it is looked for
	return t
}

// Unsearched notes that lost sends of the charge cannot be looked for yet, and why. It is tried again after wait; zero: in
// growing gaps. It returns false once that was tried for so long that a person must find out.
func (t Transaction) Unsearched(
	p Protocol, why string, wait time.Duration, h Hold, restored, now time.Time,
) (Transaction, bool) {
	if t.EverSent() {
		t = t.Waiting(p, wait, now)
		t.FailureReason = why
	} else {
		t = t.Held(why, wait, h, restored, now)
	}
	return t, t.Checks <= lostChecks || now.Sub(restored) < lostPatience
}

// unsentUntil is until when a charge that may repeat a lost send surely was not sent. What was found since the restore
// proves nothing.
func (t Transaction) unsentUntil() time.Time {
	return later(t.HeldBack.At, t.SendDueAt.Add(-time.Microsecond))
}

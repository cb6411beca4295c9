package payment

import "time"

// A lost send is one that a restored database does not have. Its charge would be sent again as if for the first time,
// to the account that routing chooses now and under another key, and captured twice. So the send is searched first.

const (
	// lostRounds is the number of refusals of each account, in the window that is lost, after which it is still asked
	// under the right key. Refusals follow each other after 10 s, 30 s and then a minute.
	lostRounds = 4
	// lostLag is the time after a restore from which look-ups find earlier sends: search indexes lag that much, and
	// requests in flight have arrived.
	lostLag = time.Minute
	// A search lasts lostPatience and at least lostChecks checks before the payment needs review: a charge may not have
	// been searched all that time, and checks also count those before the restore, and those of an account whose
	// Retry-After is a second.
	lostChecks   = 30
	lostPatience = 24 * time.Hour
	// lostGap is the longest wait between two searches for a charge that was sent before. They wait for accounts that do
	// not answer, and no account's recovery wakes a charge that was sent to another one.
	lostGap = 15 * time.Minute
	// lostPause is the wait before a search continues whose time was over: another exchange begins.
	lostPause = time.Second
)

// MayRepeat reports whether the next send of the charge, or the next repeat of its first one, may follow sends that a
// restored database has lost: the charge waited for one of them when the restored state was saved. restored is the time
// at which the database came under its present server. Real times.
func (t Transaction) MayRepeat(restored time.Time) bool {
	since := t.SendDueAt
	if !t.FirstSentAt.IsZero() {
		since = t.FirstSentAt
	}
	open := t.Type == Charge && t.Status == Pending && t.ProviderRef == ""
	return open && !since.IsZero() && since.Before(restored) && t.UnsentAt.Before(restored)
}

// FoundAt returns the charge as that of a lost send which its provider has: it is followed there from then on.
func (t Transaction) FoundAt(s Send, now time.Time) Transaction {
	t.Provider, t.ProviderConfigID = s.Provider, s.ProviderConfigID
	t.SendNumber, t.FirstSentAt, t.NextCheckAt = s.Number, now, now
	t.Checks, t.NotFoundCount, t.NotFoundAt, t.Silence = 0, 0, time.Time{}, Silence{}
	t.HeldBack, t.FailureReason, t.ParkedAt = Hold{}, "", time.Time{}
	return t
}

// Named returns a charge with a provider's reference as one that is neither held back nor searched.
func (t Transaction) Named() Transaction {
	if t.HeldBack != (Hold{}) || t.FailureReason != "" {
		t.HeldBack, t.FailureReason = Hold{}, ""
	}
	return t
}

// NothingLost notes that no account has a lost send of the charge: the next move is as if the database had lost
// nothing.
func (t Transaction) NothingLost(now time.Time) Transaction {
	t.UnsentAt, t.NextCheckAt = now, now
	t.FailureReason = "" // that it is looked for
	return t
}

// BeginsSearch notes that the search begins after a wait, and why the charge waits. Nothing was asked, so that no check
// counts but the first one of a charge that was not sent: without any it would be tried at once (contract.SnapshotOf).
func (t Transaction) BeginsSearch(why string, wait time.Duration, h Hold, now time.Time) Transaction {
	if t = t.Searching(why, wait, h, now); !t.EverSent() {
		t.Checks = max(t.Checks, 1)
	}
	return t
}

// Searching notes that the search continues after a wait, zero: at once, and why the charge waits. No check counts:
// there is more to ask.
func (t Transaction) Searching(why string, wait time.Duration, h Hold, now time.Time) Transaction {
	if !t.ParkedAt.IsZero() { // it waits for a person, whatever else is asked meanwhile
		return t
	}
	if !t.EverSent() {
		h.At = t.unsentUntil()
		t.HeldBack = h
	}
	t.FailureReason, t.NextCheckAt = why, now.Add(max(wait, lostPause))
	return t
}

// Unsearched returns the charge as one whose lost sends cannot be looked for yet, and why. It is tried again after
// wait; zero: in growing gaps. It returns false once that was tried for so long that a person must find out.
func (p Protocol) Unsearched(
	t Transaction, why string, wait time.Duration, h Hold, restored, now time.Time,
) (Transaction, bool) {
	if !t.ParkedAt.IsZero() {
		return t, false
	}
	if t.EverSent() {
		t = p.Waiting(t, wait, now)
		if gap := max(lostGap, wait); t.NextCheckAt.Sub(now) > gap {
			t.NextCheckAt = now.Add(gap)
		}
		t.FailureReason = why
	} else {
		t = t.Held(why, wait, h, restored, now)
	}
	return t, t.Checks <= lostChecks || now.Sub(restored) < lostPatience
}

// unsentUntil returns the time until which a charge that may repeat a lost send surely was not sent. Findings since the
// restore prove nothing.
func (t Transaction) unsentUntil() time.Time {
	return later(t.HeldBack.At, t.SendDueAt.Add(-time.Microsecond))
}

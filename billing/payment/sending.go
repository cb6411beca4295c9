package payment

import "time"

// Sending returns the transaction as sent: from now on silence means "unknown", and an answer from before it proves
// nothing.
func (p Protocol) Sending(t Transaction, now time.Time) Transaction {
	if t.FirstSentAt.IsZero() {
		t.NotFoundCount, t.NotFoundAt, t.Silence = 0, time.Time{}, Silence{}
		if t.HeldBack != (Hold{}) { // the reason is no longer true
			t.HeldBack, t.FailureReason = Hold{}, ""
		}
		t.FirstSentAt, t.NextCheckAt = now, now.Add(p.gap(1)) // if the worker dies before it records the answer
		t.SendNumber, t.Checks = t.SendNumber+1, 0            // its answer is asked for as soon as if it had not waited
	}
	return t
}

// Waiting returns the transaction after an answer that decides nothing: it stays pending and is looked at again later.
// hint is the wait that the provider asked for.
func (p Protocol) Waiting(t Transaction, hint time.Duration, now time.Time) Transaction {
	t.Checks++
	t.NextCheckAt = now.Add(max(p.gap(t.Checks), hint))
	return t
}

// PutOff moves the next look-up: the account has no room for it before. Nothing was asked, so no check counts.
func (t Transaction) PutOff(until time.Time) Transaction {
	t.NextCheckAt = until
	return t
}

// NotTaken returns the transaction after the proof that the provider did not take the last send. Under a key that was
// never sent before the next send is a first one again; under a repeated key an earlier send may still have arrived, so
// the key stays.
func (p Protocol) NotTaken(t Transaction, was Move, hint time.Duration, now time.Time) Transaction {
	if was == MoveSend {
		t.FirstSentAt, t.Silence = time.Time{}, Silence{}
	}
	t.Checks++
	t.NextCheckAt = now.Add(max(min(p.gap(max(t.Checks, t.SendNumber)), refusedGap), hint))
	return t
}

// KeepsKey reports whether the next send, after a first one that the provider says it did not take, repeats its key. A
// charge goes to another account at once, under another key. A refund has one account only, so that keeping the key
// costs nothing, and money goes back once even where the provider did take it. reached: there was an answer, so that
// the request arrived.
func (t Transaction) KeepsKey(reached bool) bool { return t.Type == Refund && reached }

// refusedGap is the longest wait after a send that was surely not taken: nothing is unknown then, and money is late.
const refusedGap = time.Minute

// Absent returns the transaction after the answer that the provider does not know it, and reports whether that is proof
// by the protocol: so long after the last send that nothing can still arrive, and, where the provider's index lags,
// twice.
func (p Protocol) Absent(t Transaction, now time.Time) (Transaction, bool) {
	if !t.EverSent() { // asked before a late first send: it may go out now
		t.NotFoundCount, t.NotFoundAt, t.NextCheckAt = 1, now, now
		return t, false
	}
	t = p.Waiting(t, 0, now)
	if p.AbsenceAfter == 0 || now.Sub(t.FirstSentAt) < p.settled() {
		if t.NotFoundAt.IsZero() {
			t.NotFoundAt = now // no proof; see KeyReused
		}
		return p.repeatedAtOnce(t, now), false
	}
	if t.NotFoundCount == 0 {
		t.NotFoundCount, t.NotFoundAt = 1, now
		t.NextCheckAt = now.Add(p.AbsenceGap)
		return t, p.AbsenceGap == 0
	}
	t.NotFoundCount++
	return t, now.Sub(t.NotFoundAt) >= p.AbsenceGap
}

// Misnamed returns the transaction after the answer that the provider does not know a name that only a callback
// brought. That is no check of the transaction, and proves nothing.
func (p Protocol) Misnamed(t Transaction, now time.Time) Transaction {
	if t.ParkedAt.IsZero() {
		t.NextCheckAt = now.Add(p.gap(t.Checks + 1))
	}
	return t
}

// Awaiting returns the transaction as one that only a callback can decide: it is checked again when the callback has
// been awaited for long enough.
func (p Protocol) Awaiting(t Transaction, now time.Time) Transaction {
	t.Checks++
	t.NextCheckAt = later(p.givenUpAt(t), now.Add(p.gap(t.Checks)))
	if end := p.actionEnd(t); t.WaitsForPayer() && now.Before(end) {
		t.NextCheckAt = end
	}
	return t
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Park stops asking: nothing more can be learned without a person.
func (t Transaction) Park(now time.Time) Transaction {
	t.ParkedAt, t.NextCheckAt = now, time.Time{}
	return t
}

// Close ends the attempt with a final status; a failed one gets a code and a reason. now is the subscription's own
// time.
func (t Transaction) Close(status Status, now time.Time) (Transaction, error) {
	if !CanBecome(t.Type, t.Status, status) {
		return t, ErrFinal
	}
	t.Status, t.CompletedAt = status, now
	t.NextCheckAt, t.ParkedAt, t.Silence = time.Time{}, time.Time{}, Silence{}
	t.Action = t.Action.closed()
	switch status {
	case Success, Refunded:
		t.FailureCode, t.FailureReason = "", ""
	case Failed, Declined:
		t = t.explained()
	default: // canceled: a reason is welcome, not needed
	}
	return t, nil
}

// checkGap returns the wait before check n (from 1) where the provider names none: soon at first, then ever more
// patiently, at most an hour.
func checkGap(n int) time.Duration {
	gaps := [...]time.Duration{
		10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute,
	}
	if n <= len(gaps) {
		return gaps[max(n, 1)-1]
	}
	return time.Hour
}

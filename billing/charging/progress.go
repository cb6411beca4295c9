package charging

import (
	"slices"
	"time"

	"perennial/billing/answer"
	"perennial/billing/payment"
)

// Progress passes facts from one step of an activity to the next.
type Progress struct {
	Asked         bool          // the activity was begun because of callbacks
	Earlier       bool          // the provider of an earlier send was asked
	Refused       []string      // accounts that surely did not take a new send
	CallbacksDone bool          // callbacks about a charge that may repeat a lost send were followed
	Questioned    []string      // accounts that were asked about lost sends
	Silent        []named       // accounts among them that did not answer
	Counted       bool          // that none is left which owes no answer was counted as a check of the payment
	Wait          time.Duration // the longest that those which did not answer have asked for
	// Idle: the payment waits for a provider to be there again, for nothing but time.
	Idle bool
}

// Goes says whether another step follows.
type Goes int

// When it does.
const (
	Ends    Goes = iota // none does: the row says when it is looked at again
	IfTime              // at once, where there is time for another exchange
	Instant             // at once
)

// After returns the progress after a step whose answer was recorded, with its transaction after that, and whether
// another step follows: evidence of callbacks needs no exchange, and callbacks about an earlier send say nothing about
// the current one. now is real time.
func (p Progress) After(
	s Step, said answer.Outcome, retryAfter time.Duration, t payment.Transaction, now time.Time,
) (Progress, Goes) {
	p.Idle = s.Wait > 0 || said == answer.NotSent || s.Lost != nil
	p.Earlier = p.Earlier || s.Earlier != nil
	followed := s.Asked && (s.Move == payment.MoveLookup || s.Move == payment.MoveBelieve)
	switch {
	case s.Lost != nil && s.Lost.Number == 0:
		return p, Ends
	case s.Lost != nil:
		return p.searched(s, said, retryAfter), ifOpen(t, said == answer.NotFound || t.MayRepeat(s.RestoredAt))
	case followed && t.MayRepeat(s.RestoredAt): // what callbacks say has decided nothing: it is looked for
		p.CallbacksDone = true
		return p, ifOpen(t, true)
	case len(s.Evidence) > 1 || s.Earlier != nil:
		return p, Instant
	}
	return p.sent(s, t, now)
}

func ifOpen(t payment.Transaction, more bool) Goes {
	if more && t.ParkedAt.IsZero() {
		return IfTime
	}
	return Ends
}

// searched notes the answer to a question of a search.
func (p Progress) searched(s Step, said answer.Outcome, retryAfter time.Duration) Progress {
	p.Questioned = append(slices.Clone(p.Questioned), s.AccountID)
	if said != answer.NotFound && !said.Final() {
		p.Silent = append(slices.Clone(p.Silent), named{s.AccountID, s.Provider})
		p.Wait, p.Counted = max(p.Wait, retryAfter), p.Counted || !s.Lost.Fresh
	}
	return p
}

// sent returns whether the payment is sent again at once: its account surely did not take it and another can, or has
// proven that it never arrived, or does not know it while its key may be repeated. Where there is no time for that, the
// next check begins again at the first account. Callbacks are followed first.
func (p Progress) sent(s Step, t payment.Transaction, now time.Time) (Progress, Goes) {
	unsent := t.Type == payment.Charge && t.Status == payment.Pending && !t.EverSent()
	repeats := s.Move == payment.MoveLookup && s.Protocol.Next(t, false, now) == payment.MoveReplay
	switch {
	case unsent && s.Move == payment.MoveSend && s.Backups > 0:
		p.Refused = append(slices.Clone(p.Refused), s.AccountID)
	case unsent && s.Move == payment.MoveLookup && s.Transaction.EverSent() && !p.Asked:
	case repeats && !t.NextCheckAt.After(now): // it is not known there
	default:
		return p, Ends
	}
	return p, IfTime
}

// Unsent returns how long a payment waits that no provider has and that is tried again when one may be available;
// false: it waits for something else. A payment that needs review waits in its workflow, which a signal wakes.
func (p Progress) Unsent(t payment.Transaction, now time.Time) (time.Duration, bool) {
	gap := t.NextCheckAt.Sub(now)
	unsent := t.Status == payment.Pending && !t.EverSent() && t.ParkedAt.IsZero()
	return gap, p.Idle && unsent && gap > 0
}

// unanswered reports whether the account of a question did not answer another one in an earlier step.
func (p Progress) unanswered(q payment.Question) bool {
	return slices.ContainsFunc(p.Silent, func(a named) bool { return a.ID == q.AccountID })
}

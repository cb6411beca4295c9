package payment

import (
	"cmp"
	"slices"
	"time"
)

// Holder is an account that may have a lost send.
type Holder struct {
	AccountID string
	CanAsk    bool // it finds an operation by its key
	// ByTransaction: one look-up finds the operation of any send.
	ByTransaction bool
}

// Question asks an account for the operation of a lost send.
type Question struct {
	AccountID string
	Number    int // of the send, which its key follows from
}

// Asked has the answer to a question since the database was restored; neither Absent nor Ended: none.
type Asked struct {
	Question

	Absent bool      // the account has nothing under that key
	Ended  bool      // it has an operation that ended without moving money
	At     time.Time // when it was asked last
}

// Search has the plan of a search for lost sends of a charge.
type Search struct {
	Ask  []Question    // in order; empty: no account can be asked
	Wait time.Duration // before the first question
	// Blind: an account that cannot be asked may have it too, so that finding nothing proves nothing.
	Blind bool
}

// Search returns how to look for lost sends of a charge that MayRepeat says may have some. holders are the accounts
// that could have taken it. now is real time.
func (t Transaction) Search(holders []Holder, restored, now time.Time) Search {
	var s Search
	for n := range lostRounds * len(holders) {
		for _, h := range holders {
			if h.CanAsk && (n == 0 || !h.ByTransaction) {
				s.Ask = append(s.Ask, Question{h.AccountID, t.SendNumber + 1 + n})
			}
		}
	}
	if len(s.Ask) > 0 { // also of one account: after a refusal in the window, the key of the next send is unknown
		s.Wait = max(0, restored.Add(lostLag).Sub(now))
	}
	for _, h := range holders { // an earlier send is repeated under its key, at its account only
		repeats := len(holders) == 1 || t.EverSent() && h.AccountID == t.ProviderConfigID
		s.Blind = s.Blind || !h.CanAsk && !repeats
	}
	return s
}

// Left has the open part of a search.
type Left struct {
	// Ask has the open questions in the order to ask them, so that an account that does not answer hides no other:
	// first those of accounts that owe no answer, then those of the account that was asked longest ago.
	Ask []Question
	// Fresh is the number of them at accounts that owe no answer.
	Fresh int
	// Last: there is one question, and every other account and key was found to have nothing.
	Last bool
	// Ended: every account has nothing, or an operation that ended without moving money. The one question is about the
	// last of these: after a refusal the charge was sent again, so that the last one has ended the charge.
	Ended bool
}

// Left returns the open part of the search after the questions since the restore.
func (s Search) Left(asked []Asked) Left {
	known, owes := make(map[Question]Asked, len(asked)), map[string]time.Time{}
	for _, a := range asked {
		known[a.Question] = a
		if open := !a.Absent && !a.Ended; open && a.At.After(owes[a.AccountID]) {
			owes[a.AccountID] = a.At
		}
	}
	var left, ended []Question
	fresh := 0
	for _, q := range s.Ask {
		switch a := known[q]; {
		case a.Absent:
		case a.Ended:
			ended = append(ended, q)
		default:
			left = append(left, q)
			if owes[q.AccountID].IsZero() {
				fresh++
			}
		}
	}
	if len(left) == 0 {
		slices.SortStableFunc(ended, func(a, b Question) int { return cmp.Compare(b.Number, a.Number) })
		return Left{Ask: ended[:min(1, len(ended))], Ended: len(ended) > 0}
	}
	slices.SortStableFunc(left, func(a, b Question) int { return owes[a.AccountID].Compare(owes[b.AccountID]) })
	return Left{Ask: left, Fresh: fresh, Last: len(left) == 1 && len(ended) == 0}
}

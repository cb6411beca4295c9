package charging

import (
	"cmp"
	"strings"
	"time"

	"perennial/billing/payment"
)

// Asks reports whether the step is a request to the provider.
func (s Step) Asks() bool {
	switch s.Move {
	case payment.MoveNone, payment.MoveHold, payment.MoveAbandon, payment.MoveBelieve, payment.MoveAwait,
		payment.MoveReview:
		return false
	default:
		return true
	}
}

// KeyNumber is the number of the send whose key the step sends, or asks by: keys follow from transaction and number, so
// that a crash, a restore or a replay of the workflow sends the same key again.
func (s Step) KeyNumber() int {
	if s.Earlier == nil && s.Lost == nil && s.Transaction.FirstSentAt.IsZero() {
		return s.Transaction.SendNumber + 1 // of the send that a restored database has lost: it used the next key
	}
	return s.Number
}

// SendsKey reports whether the step sends its key; a look-up or a cancel does not.
func (s Step) SendsKey() bool { return s.Move == payment.MoveSend || s.Move == payment.MoveReplay }

// AskedApart reports whether the requests of the step's send have references of their own.
func (s Step) AskedApart() bool { return s.Number > 0 && s.Number == s.Transaction.Action.ApartSend }

// Repeats reports whether the provider may have got the request of a send before.
func (s Step) Repeats() bool { return s.Move == payment.MoveReplay || s.MayRepeat }

// Begun returns the step with its intent: the mark of a first send, from which on silence means "unknown", or that the
// provider may have what completes the charge. token is random, for the page at which a payer confirms the charge.
func (s Step) Begun(token string, now time.Time) Step {
	switch s.Move {
	case payment.MoveSend:
		s.MayRepeat = s.Transaction.MayRepeat(s.RestoredAt)
		s.Transaction = s.Protocol.Sending(s.Transaction, now)
		if s.Protocol.ActionExpiry > 0 && s.Transaction.Type == payment.Charge {
			action := &s.Transaction.Action
			action.Token, action.ApartSend = cmp.Or(action.Token, token), s.Transaction.SendNumber
		}
		s.Number = s.Transaction.SendNumber
	case payment.MoveComplete:
		s.Handed, s.Transaction = s.Transaction.Handing(), s.Transaction.HandingOver(now)
	default: // nothing is written before it
	}
	return s
}

// Abandoned returns the reason, for people, why a charge that no provider captures was canceled without a request.
func (s Step) Abandoned() string {
	if s.Transaction.EverSent() {
		return "canceled before its payer confirmed it"
	}
	return "canceled before it was sent"
}

// Errand is the reason why a request wants a turn at its account.
type Errand int

// The errands.
const (
	ErrandUrgent Errand = iota // a request of a callback or a command, and its repeats
	ErrandSend                 // a first send, and the search before it
	ErrandPoll                 // a look-up that nothing but time asks for
)

// Errand returns the errand of the step.
func (s Step) Errand() Errand {
	first := s.Move == payment.MoveSend && !s.Transaction.EverSent() && s.Transaction.Type == payment.Charge
	switch {
	case s.Lost != nil || first:
		return ErrandSend
	case s.Move == payment.MoveLookup && s.Transaction.EverSent() && !s.Asked:
		return ErrandPoll
	}
	return ErrandUrgent
}

// ShortTurn is a wait for a turn that is not worth the events of a timer.
const ShortTurn = 5 * time.Second

// Turn is the next action of a request that wants a turn at its account.
type Turn int

// The turns.
const (
	TurnNow   Turn = iota // it goes out
	TurnSoon              // the turn is its own, and it waits for it on the spot
	TurnBusy              // it tries again soon, and does not queue: a callback or a person waits for it
	TurnNear              // it comes back when the turn is near, sooner than a timer would be worth
	TurnLater             // it is put off: see PutOff
)

// Turn returns the step's action about its turn. mine: it has one, in wait; else there is room for it in wait at the
// earliest.
func (s Step) Turn(wait time.Duration, mine bool) Turn {
	switch why := s.Errand(); {
	case mine && wait > 0:
		return TurnSoon
	case mine:
		return TurnNow
	case why == ErrandUrgent:
		return TurnBusy
	case why == ErrandSend && wait < ShortTurn:
		return TurnNear
	}
	return TurnLater
}

// searchTurn ends the reason of a payment whose search waits for its turn.
const searchTurn = " It takes no more requests a second now."

// PutOff returns a step that sends or polls as one that comes again when its turn at the account is near: it makes no
// request, and its row says why.
func (s Step) PutOff(wait time.Duration, now time.Time) Step {
	polls := s.Errand() == ErrandPoll
	s.Move = payment.MoveNone
	switch {
	case s.Lost != nil: // also of a charge that was sent once, which nothing holds back
		s.Hold.ForTurn = true
		s.Transaction = s.Transaction.Searching(s.Lost.Why+searchTurn, wait, s.Hold, now)
	case polls:
		s.Transaction = s.Transaction.PutOff(now.Add(wait))
	default:
		s.unchosen()
		s.Hold.ForTurn = true
		why := "The account takes no more requests a second. The payment waits for its turn."
		s.Transaction = s.Transaction.Held(why, wait, s.Hold, s.RestoredAt, now)
	}
	return s
}

// Promised returns the time that the payment was given for its turn; zero: it comes for the first time. A search for a
// charge that was sent once is not held back, but its row says what it waits for.
func (s Step) Promised() time.Time {
	if strings.HasSuffix(s.Row.FailureReason, searchTurn) {
		return s.Row.NextCheckAt
	}
	return s.Row.Turn()
}

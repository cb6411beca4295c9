package charging

import (
	"time"

	"perennial/billing/answer"
	"perennial/billing/payment"
	"perennial/billing/routing"
)

// Reply is the part of an answer that concerns the account that gave it.
type Reply struct {
	Outcome    answer.Outcome
	HTTPStatus int // 0: no answer came at all
	// NotOffered: the account does not take this kind of charge now, which says nothing about its credentials and its
	// other charges. No request was needed to know that.
	NotOffered bool
}

// The statuses of HTTP that tell of an account, by RFC 9110.
const (
	unauthorized = 401
	forbidden    = 403
	serverError  = 500
)

// RefusesCredentials reports whether the provider refused our credentials.
func (r Reply) RefusesCredentials() bool {
	return !r.NotOffered && (r.HTTPStatus == unauthorized || r.HTTPStatus == forbidden)
}

// Serves reports whether the answer is about the operation asked for, which only accepted credentials lead to.
func (r Reply) Serves() bool {
	return r.Outcome.Final() || r.Outcome == answer.Pending || r.Outcome == answer.NotFound
}

// Silent reports whether an exchange brought no answer. One that asks us to come back later is an answer.
func (r Reply) Silent() bool {
	undecided := r.Outcome == answer.Unknown || r.Outcome == answer.NotSent
	return !r.NotOffered && undecided && (r.HTTPStatus == 0 || r.HTTPStatus >= serverError)
}

// News is a change in the known state of an account's credentials.
type News int

// The news.
const (
	NoNews      News = iota
	Refused          // they are refused now
	ServesAgain      // they are accepted again
	Reached          // a test could not reach the provider, and now it was reached
)

// News returns the news of the reply. failing: the credentials were refused before; untested: the last test of the
// connection failed.
func (r Reply) News(failing, untested bool) News {
	switch {
	case r.RefusesCredentials() && !failing:
		return Refused
	case failing && r.Serves():
		return ServesAgain
	case untested && r.Serves():
		return Reached
	}
	return NoNews
}

// Breaker returns the breaker of the account after the reply to a step that begun then. Credentials that are not known
// (401) open it whatever was asked; all else opens and closes it only of charges that are sent: a look-up that is
// answered does not say that charges are, and a refund that is not taken, or not permitted (403), does not say that
// charges are not. Silence and its end count of any exchange. Times are real.
func (r Reply) Breaker(b routing.Breaker, s Step, begun, now time.Time) routing.Breaker {
	failure, bad := r.failure()
	switch send := s.Move == payment.MoveSend && s.Transaction.Type == payment.Charge; {
	case r.NotOffered: // the account may take any other charge
	case bad && (send || r.HTTPStatus == unauthorized):
		b = b.Failed(failure, s.Transaction.ID, now)
	case !bad && send:
		b = b.Taken()
	}
	switch {
	case r.Silent():
		b = b.Silent(begun, now)
	case r.Serves():
		b = b.Answered(now)
	}
	return b
}

// failure returns how the provider failed to answer; false: it answered.
func (r Reply) failure() (routing.Failure, bool) {
	switch {
	case r.RefusesCredentials():
		return routing.Unauthorized, true
	case r.Outcome == answer.NotSent:
		return routing.NotTaken, true
	case r.Outcome == answer.Unknown:
		return routing.Unanswered, true
	}
	return 0, false
}

package lifecycle_test

import (
	"time"

	"perennial/billing/answer"
	"perennial/billing/fault"
	"perennial/billing/payment"
)

// protocol is that of a provider that replays for a day.
var protocol = payment.Protocol{
	Window: 24 * time.Hour, LookupByKey: true, LookupByRef: true, Cancel: true, AbsenceAfter: 24 * time.Hour,
	AbsenceGap: time.Hour, ActionExpiry: 24 * time.Hour,
}

// send marks the request of a transaction as sent, as the activity does before its call.
func (l *life) send(id string) {
	t := l.store.transaction(id)
	if t.FirstSentAt.IsZero() {
		*t = protocol.Sending(*t, l.real)
		t.Revision++
	}
}

// answer records an answer of the provider about a transaction. It never denies a capture.
func (l *life) answer(id string, outcome answer.Outcome) {
	t := l.store.transaction(id)
	if outcome != answer.NotFound {
		l.send(id)
	}
	if l.captured[id] {
		outcome = answer.Succeeded
	}
	a := answer.Answer{Outcome: outcome, Ref: "pi_" + id}
	switch outcome {
	case answer.Succeeded:
		a.Amount, a.Currency = t.Amount, t.Currency
	case answer.Declined, answer.Failed:
		a.FailureCode, a.FailureReason = "INSUFFICIENT_FUNDS", "no money"
	case answer.NotFound, answer.NotSent:
		a.Ref = ""
	default:
	}
	l.record(id, a, nil)
}

// asksPayer records an answer that the payer must confirm a charge.
func (l *life) asksPayer(id string) {
	if l.captured[id] {
		return
	}
	l.send(id)
	l.store.transaction(id).Action.Token = "TOKEN_" + id
	l.record(id, answer.Answer{Outcome: answer.Pending, Ref: "pi_" + id, ConfirmURL: "https://bank.example"}, nil)
}

// mismatch records a success of another amount, which needs review.
func (l *life) mismatch(id string) {
	if l.captured[id] {
		return
	}
	l.send(id)
	l.record(id, answer.Answer{Outcome: answer.Succeeded, Amount: l.store.transaction(id).Amount + 1}, nil)
}

// impossible records a request that could not be made.
func (l *life) impossible(id string, kind fault.Kind) {
	if !l.captured[id] {
		l.record(id, answer.Answer{}, fault.New(kind, "payment_method_unusable", "the card token is unknown"))
	}
}

// result ends the live attempt, if there is one.
func (l *life) result(outcome answer.Outcome) {
	if t := l.live(""); t != nil {
		l.answer(t.ID, outcome)
	}
}

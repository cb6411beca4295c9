package charging

import (
	"slices"
	"time"

	"perennial/billing/answer"
	"perennial/billing/payment"
)

// Call is an exchange with a provider about the transaction, as its row says.
type Call struct {
	ID        string
	Key       string // that it sent; empty: none
	Completes bool   // it handed over the values that the payer's browser brought
	StartedAt time.Time
}

// NotTaken returns the move that "not taken" was said about. While a worker hung in a first send, another may have
// repeated it under the same key successfully, so that "not taken" proves no more than for a repeat. The same holds for
// a first send that may repeat one that a restored database has lost. callID and key are those of the step's own call,
// calls all of the transaction; reached: there was an answer, so that the request arrived.
func (s Step) NotTaken(reached bool, callID, key string, calls []Call) payment.Move {
	another := func(c Call) bool { return c.Key == key && c.ID != callID }
	if s.MayRepeat || s.Transaction.KeepsKey(reached) || slices.ContainsFunc(calls, another) {
		return payment.MoveReplay
	}
	return s.Move
}

// NotCompleted returns what the refusal of a first completion proves. While a worker hung in it, another may have
// repeated it successfully, which is why Adyen, for example, refuses it. The adapter recognizes repeats. handedAt is
// the earliest time at which the provider may have received the values.
func (s Step) NotCompleted(callID string, handedAt time.Time, calls []Call) answer.Outcome {
	for _, c := range calls {
		if c.Completes && c.ID != callID && !c.StartedAt.Before(handedAt) {
			return answer.Unknown
		}
	}
	return answer.NotSent
}

// AnswersSend returns the number of the send that the answer belongs to; false: to none. move is the move that the
// answer is about: "not taken" about a repeat says nothing about the send. Where a restored database may have lost the
// send of the answer, the row of that number may be another account's: see SendIs.
func (s Step) AnswersSend(move payment.Move, said answer.Outcome) (int, bool) {
	forgotten := s.Earlier != nil && s.Earlier.SentAt.IsZero() // no row is about it
	answers := said != "" && (s.Asks() || s.Move == payment.MoveBelieve)
	repeat := said == answer.NotSent && move != payment.MoveSend
	return s.Number, answers && !forgotten && s.Number != 0 && s.About == "" && !repeat
}

// SendIs reports whether the send of the step's number is one to its account; sends are the transaction's.
func (s Step) SendIs(sends []payment.Send) bool {
	another := func(x payment.Send) bool { return x.Number == s.Number && x.ProviderConfigID != s.AccountID }
	return !slices.ContainsFunc(sends, another)
}

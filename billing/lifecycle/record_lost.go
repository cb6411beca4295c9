package lifecycle

import "perennial/billing/payment"

// Lost is a send that a restored database may have lost, and what an account was asked about it. One without a number
// could not be asked about yet; the Answer says why.
type Lost struct {
	payment.Send

	Last  bool   // every other account and key was asked, and has nothing
	Blind bool   // another account cannot be asked
	Why   string // the payment waits where there is no answer, for people
}

// lostSend records what the search for a lost send found. It returns true where an account has it: what was answered is
// then about the transaction, which is followed at that account.
func (r *recording) lostSend() bool {
	switch {
	case !r.txn.MayRepeat(r.RestoredAt): // decided meanwhile
		return false
	case r.Impossible != nil:
		return true
	case r.Answer.Outcome == payment.AnswerNotFound:
		r.nowhere()
		return false
	case r.Answer.Outcome != payment.AnswerPending && !r.Answer.Outcome.Final():
		r.unsearched()
		return false
	}
	r.txn, r.found = r.txn.FoundAt(r.Lost.Send, r.d.Real), &r.Lost.Send
	return true
}

// nowhere records that an account has no lost send: with the last one it is proven that there is none, unless another
// could not be asked.
func (r *recording) nowhere() {
	switch {
	case !r.Lost.Last:
	case r.Lost.Blind:
		r.needsReview(payment.ReviewOutcomeUnknown, "")
	default:
		r.txn = r.txn.Nowhere(r.d.Real)
		r.d.saveTransaction(r.txn)
	}
}

// unsearched records that the search goes on later.
func (r *recording) unsearched() {
	txn, patient := r.txn.Unsearched(r.Protocol, r.Lost.Why, r.Answer.RetryAfter, r.Hold, r.RestoredAt, r.d.Real)
	r.txn = txn
	r.d.saveTransaction(txn)
	if !patient {
		r.needsReview(payment.ReviewOutcomeUnknown, "")
	}
}

package recording

import (
	"perennial/billing/answer"
	"perennial/billing/payment"
)

// lostSend records the result of the search for a lost send. It returns true where an account has it: the answer is
// then about the transaction, which is followed at that account.
func (r *recording) lostSend() bool {
	bad := r.Answer.Outcome.Final() && r.Answer.Outcome != answer.Succeeded
	switch {
	case !r.txn.MayRepeat(r.RestoredAt): // decided meanwhile
		return false
	case r.Impossible != nil:
		return true
	case r.Answer.Outcome == answer.NotFound:
		r.notThere()
		return false
	case bad && !r.Lost.Ends: // what was refused in the lost window may have gone to another account then
		r.searching()
		return false
	case r.Answer.Outcome != answer.Pending && !r.Answer.Outcome.Final():
		r.unsearched()
		return false
	}
	r.txn, r.found = r.txn.FoundAt(r.Lost.Send, r.d.Real), &r.Lost.Send
	return true
}

// endsElsewhere reports whether an account that a callback named says that a charge which may repeat a lost send has
// ended there without moving money: after a refusal in the lost window it may have gone to another account.
func (r *recording) endsElsewhere() bool {
	bad := r.Answer.Outcome.Final() && r.Answer.Outcome != answer.Succeeded
	return bad && r.Hint != "" && r.Protocol.LookupByKey && r.txn.MayRepeat(r.RestoredAt)
}

// notThere records that an account has no lost send: with the last one it is proven that there is none, unless another
// could not be asked.
func (r *recording) notThere() {
	switch {
	case !r.Lost.Last, r.Lost.Blind && r.txn.EverSent(): // which waits for a callback first
		r.searching()
	case r.Lost.Blind:
		r.needsReview(payment.ReviewOutcomeUnknown, "")
	default:
		r.txn = r.txn.NothingLost(r.d.Real)
		r.d.SaveTransaction(r.txn)
	}
}

// searching records that there is more to ask, at once or by the next exchange.
func (r *recording) searching() {
	r.txn = r.txn.Searching(r.Lost.Why, 0, r.Hold, r.d.Real)
	r.d.SaveTransaction(r.txn)
}

// unsearched records that an account did not answer, and that the search continues later, or soon where others are to
// be asked.
func (r *recording) unsearched() {
	if r.Lost.Begin {
		r.txn = r.txn.BeginsSearch(r.Lost.Why, r.Answer.RetryAfter, r.Hold, r.d.Real)
		r.d.SaveTransaction(r.txn)
		return
	}
	if r.Lost.Fresh {
		r.searching()
		return
	}
	was, wait := r.txn, max(r.Answer.RetryAfter, r.Lost.RetryAfter)
	if r.Lost.Counted { // once a round
		was.Checks = max(was.Checks-1, 0)
	}
	txn, patient := r.Protocol.Unsearched(was, r.Lost.Why, wait, r.Hold, r.RestoredAt, r.d.Real)
	r.txn = txn
	r.d.SaveTransaction(txn)
	if !patient {
		r.needsReview(payment.ReviewOutcomeUnknown, "")
	}
}

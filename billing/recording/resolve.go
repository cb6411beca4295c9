package recording

import (
	"perennial/billing/answer"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
)

// Resolve records a person's decision about a payment in review, and its consequences, as Record does with a provider's
// answer. Of the Result only the rows are read. Faults: those of payment.Transaction.Decide.
func Resolve(
	s lifecycle.State, result Result, decision payment.Decision, at lifecycle.Moment,
) (lifecycle.State, Recorded, lifecycle.Changes, error) {
	return record(s, result, at, func(r *recording) error {
		txn, outcome, err := r.txn.Decide(decision, r.d.Real)
		if err != nil {
			return err
		}
		r.txn = txn
		r.d.SaveTransaction(txn)
		if outcome == "" {
			return nil
		}
		r.Answer = answer.Answer{Outcome: outcome}
		if outcome == answer.Failed {
			r.Answer.FailureReason = decision.Finding()
		}
		return r.answered()
	})
}

// CancelPayment requests that a pending charge is not made, or is canceled where its provider can. A capture before the
// cancel reached the provider counts. Of the Result only the rows are read. Faults: those of
// payment.Transaction.RequestCancel.
func CancelPayment(s lifecycle.State, result Result, at lifecycle.Moment) (lifecycle.State, lifecycle.Changes, error) {
	state, _, changes, err := record(s, result, at, func(r *recording) error {
		txn, err := r.txn.RequestCancel(r.d.Real)
		if err != nil {
			return err
		}
		r.txn = txn
		r.d.SaveTransaction(txn)
		return nil
	})
	return state, changes, err
}

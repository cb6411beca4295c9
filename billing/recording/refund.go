package recording

import (
	"slices"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/payment"
)

// refunded records money that went back. The charge stays a success and shows how much of it did.
func (r *recording) refunded() error {
	was := r.txn.Status
	if !r.close(payment.Refunded) {
		return nil
	}
	r.d.Announce(event.PaymentRefunded{Payment: r.txn.Announced()})
	if was == payment.Pending {
		return nil
	}
	charge, owed := r.charge().Captured().Reserve(r.txn.Amount) // it had failed
	r.d.SaveTransaction(charge)
	if !owed {
		r.needsReview(payment.ReviewRefundedTwice, r.Answer.Ref)
	}
	return nil
}

// overtaken reports a message that an operation of a refund went through, after another one said that it failed.
// Messages may come in any order; a refund that went through can fail later, but never the reverse, unless a person
// found that it had failed. A restored database may have sent one refund twice: then Failed names the operations that
// failed, whatever the state of the refund. The success of one that did not fail counts.
func (r *recording) overtaken() bool {
	if r.txn.Type != payment.Refund || r.Move != payment.MoveBelieve || r.Answer.Outcome != answer.Succeeded ||
		r.Answer.Ref == "" || !r.txn.Review.At.IsZero() {
		return false
	}
	own := r.txn.Status == payment.Failed && r.Answer.Ref == r.txn.ProviderRef
	return own || slices.Contains(r.Result.Failed, r.Answer.Ref)
}

// returned records that the bank sent a refund back which had gone through: the charge owes it again. It reports
// whether the transaction is such a refund. One that is known by another name is another operation.
func (r *recording) returned() bool {
	if r.txn.Status != payment.Refunded {
		return false
	}
	other := r.Answer.Ref != "" && r.Answer.Ref != r.txn.ProviderRef
	txn, news := r.txn.Returned(string(r.Answer.FailureCode), r.Answer.FailureReason, r.d.Now)
	if !news || other {
		return true
	}
	r.txn = txn
	r.d.SaveTransaction(txn)
	r.d.SaveTransaction(r.charge().Captured().FailRefund(txn.Amount))
	r.d.Announce(event.PaymentRefundFailed{Payment: txn.Announced(), FailureReason: txn.FailureReason})
	return true
}

package recording

import (
	"slices"
	"strconv"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/payment"
)

// movedSince books what happened to a captured charge's money since, by a look-up: refunds that were made without us,
// and disputes. Where that could not be read, callbacks about it stay open.
func (r *recording) movedSince() {
	r.waits = r.waits || r.Answer.SinceUnread
	for _, seen := range r.Answer.Refunds {
		r.cameBack(seen)
	}
	for _, seen := range payment.Unbooked(r.Answer.Refunds, r.Refunds) {
		r.refundedElsewhere(seen)
	}
	for _, seen := range r.Answer.Disputes {
		r.disputed(seen)
	}
}

// cameBack books that a refund failed, or that the bank sent its money back: the charge owes it.
func (r *recording) cameBack(seen answer.Refund) {
	refund := payment.CameBack(seen, r.Refunds)
	if refund == nil {
		return
	}
	reason := r.Answer.FailureReason
	txn, news := refund.Returned(string(r.Answer.FailureCode), reason, r.d.Now)
	if refund.Status == payment.Pending {
		txn.FailureCode, txn.FailureReason = string(r.Answer.FailureCode), reason
		closed, err := txn.Close(payment.Failed, r.d.Now)
		txn, news = closed, err == nil
	}
	if !news {
		return
	}
	*refund = txn
	r.d.SaveTransaction(txn)
	r.txn = r.txn.Captured().FailRefund(txn.Amount)
	r.d.SaveTransaction(r.txn)
	r.d.Announce(event.PaymentRefundFailed{Payment: txn.Announced(), FailureReason: txn.FailureReason})
}

// refundedElsewhere books a refund that was made without us. One that carries an id of ours was lost by a restored
// database: it keeps the id, unless another refund has it.
func (r *recording) refundedElsewhere(seen answer.Refund) {
	id, again := seen.TransactionID, payment.MadeAgain(seen, r.Refunds)
	if id == "" || again {
		id = r.d.IDs.Transaction(r.txn.CompletedAt, r.txn.ID, "refunded elsewhere", seen.Ref)
	}
	charge, refund, fit := r.txn.Captured().RefundedElsewhere(id, seen, r.Refunds, r.d.Now)
	if fit == payment.FitLater {
		r.waits = true
		return
	}
	r.txn = charge
	r.d.SaveTransaction(charge)
	if refund.Status == payment.Pending { // its workflow polls it
		refund.NextCheckAt = r.d.Real
		r.d.Changes.Starts = append(r.d.Changes.Starts, refund.ID)
	} else {
		r.d.Announce(event.PaymentRefunded{Payment: refund.Announced()})
	}
	r.Refunds = append(r.Refunds, refund)
	r.d.Changes.NewTransactions = append(r.d.Changes.NewTransactions, refund)
	if fit == payment.FitTwice || again {
		r.needsReview(payment.ReviewRefundedTwice, seen.Ref)
	}
}

// disputed books the effect of a dispute on the charge's money, and announces changes.
func (r *recording) disputed(seen answer.Dispute) {
	id := r.d.IDs.Dispute(r.txn.CompletedAt, r.txn.ID, seen.Ref)
	charge, change := r.txn.Captured().Dispute(id, seen, r.d.Real)
	if !change.Noted {
		return
	}
	r.txn = charge
	if i := slices.IndexFunc(r.Refunds, func(t payment.Transaction) bool { return t.ID == change.Returned }); i >= 0 {
		r.Refunds[i].ReturnedAt = r.d.Now
		r.d.SaveTransaction(r.Refunds[i])
	}
	if change.Withdraw {
		n := strconv.Itoa(change.Dispute.Withdrawals + 1)
		id := r.d.IDs.Transaction(charge.CompletedAt, charge.ID, "dispute", seen.Ref, n)
		var refund payment.Transaction
		r.txn, refund = charge.Captured().Withdraw(id, change.Dispute, r.d.Now)
		r.d.Changes.NewTransactions = append(r.d.Changes.NewTransactions, refund)
		r.d.Announce(event.PaymentRefunded{Payment: refund.Announced()})
	}
	r.txn = r.txn.Captured().Relieved()
	r.d.SaveTransaction(r.txn)
	for _, data := range r.txn.Captured().Objection(change) {
		r.d.Announce(data)
	}
	if change.Unbookable {
		r.needsReview(payment.ReviewDisputeCurrency, seen.Ref)
	}
}

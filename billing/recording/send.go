package recording

import (
	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/payment"
)

// hold records that no provider can take the transaction now.
func (r *recording) hold() {
	if r.txn.Status != payment.Pending || r.txn.EverSent() {
		return
	}
	r.txn = r.txn.Held(r.Answer.FailureReason, r.Answer.RetryAfter, r.Hold, r.RestoredAt, r.d.Real)
	r.d.SaveTransaction(r.txn)
}

// taken reports whether the answer about another send decides a charge that may repeat a lost one: that account has it.
// Then there is nothing to wait for: if there was a later send, it has no answer because the database has lost it.
func (r *recording) taken() bool {
	has := r.Answer.Outcome == answer.Succeeded || r.Answer.Outcome == answer.Pending
	return r.Send != nil && r.Answer.Ref != "" && has && r.txn.MayRepeat(r.RestoredAt)
}

// earlier records the answer about an earlier send, after the transaction was sent to another account. Only money that
// moved counts: it decides a transaction that moved none, and is given back where the later send moved it too.
func (r *recording) earlier() error {
	if r.Answer.Outcome != answer.Succeeded {
		return nil
	}
	counts := r.txn.ProviderConfigID == r.Send.ProviderConfigID && r.txn.ProviderRef == r.Answer.Ref ||
		r.Recovered != nil && r.Recovered.ProviderConfigID == r.Send.ProviderConfigID
	switch {
	case counts && r.txn.Status != payment.Pending: // booked
	case !r.txn.Confirms(r.Answer.Amount, r.Answer.Currency):
		r.needsReview(payment.ReviewAmountMismatch, r.Answer.Ref)
	case r.txn.Status == payment.Pending:
		r.waits = true // until it is known what became of the later send
	case r.txn.Status == payment.Success && r.Recovered == nil:
		return r.capturedTwice()
	case r.txn.Status == payment.Success, r.Recovered != nil:
		r.needsReview(payment.ReviewSecondCapture, r.Answer.Ref)
	default:
		r.txn = r.at(r.txn)
		return r.succeeded()
	}
	return nil
}

// superseded reports whether the answer is about the capture of another send, which was booked as a success of its own
// and given back.
func (r *recording) superseded() bool {
	return r.Recovered != nil && r.txn.Status == payment.Success && r.Answer.Ref == r.Recovered.ProviderRef &&
		(r.Send == nil || r.Send.ProviderConfigID == r.Recovered.ProviderConfigID)
}

// supersededSince books what happened to its money since, as for any capture: disputes, and refunds made without us.
func (r *recording) supersededSince() {
	counts := r.txn
	r.txn = *r.Recovered
	r.movedSince()
	r.txn = counts
}

// takeOver makes the send of the answer, at its account, the transaction's own.
func (r *recording) takeOver() {
	r.txn = r.at(r.txn).Named()
	r.Send = nil
}

// at returns the transaction as the earlier send's. One without a row is at the transaction's own account.
func (r *recording) at(t payment.Transaction) payment.Transaction {
	if r.Send != nil {
		t.Provider, t.ProviderConfigID = r.Send.Provider, r.Send.ProviderConfigID
	}
	t.ProviderRef = r.Answer.Ref
	if r.Answer.Response != nil {
		t.ProviderResponse = r.Answer.Response
	}
	return t
}

// capturedAgain records that the account of a charge captured another operation than the one that counts. If the charge
// was sent more than once, the other operation is another send's, and its money goes back; otherwise the provider took
// the money of one send twice, which needs review.
func (r *recording) capturedAgain() error {
	if r.txn.Status == payment.Success && r.txn.SendNumber >= 2 && r.Recovered == nil {
		return r.capturedTwice()
	}
	r.needsReview(payment.ReviewSecondCapture, r.Answer.Ref)
	return nil
}

// capturedTwice books the capture of another send than the one that counts as a success of its own, and refunds it. Its
// id is derived, and so is that of the refund.
func (r *recording) capturedTwice() error {
	id := r.d.IDs.Transaction(r.txn.DueAt, r.txn.ID, "captured twice", r.Answer.Ref)
	second := r.at(r.txn).Recover(id, r.d.Now)
	second.AmountRefunded, second.RefundOwed, second.Disputes = 0, 0, nil
	r.d.Changes.NewTransactions = append(r.d.Changes.NewTransactions, second)
	r.d.Announce(event.PaymentSuccess{Payment: second.Announced()})
	_, err := r.d.RefundExtra(second)
	return err
}

package recording

import (
	"slices"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

// takenBack books that a success is taken back by its provider: a capture that failed at the card scheme, or an
// authorisation that was canceled. Word of another operation does not. The charge stays a success, and its invoice
// paid: a transaction of its own returns the money, and the customer's balance owes it, so that the next invoice
// collects it. Where a part of the money went another way before, a person must sort out which.
func (r *recording) takenBack() {
	says := r.Move == payment.MoveBelieve || r.Move == payment.MoveLookup && r.About == ""
	own := r.Answer.Ref != "" && r.Answer.Ref == r.txn.ProviderRef
	if !says || !own || r.txn.Type != payment.Charge || r.txn.Status != payment.Success {
		return
	}
	id := r.d.IDs.Transaction(r.txn.CompletedAt, r.txn.ID, "not captured")
	switch {
	case slices.ContainsFunc(r.Refunds, func(t payment.Transaction) bool { return t.ID == id }): // said before
		return
	case r.txn.Captured().Refundable() < r.txn.Amount:
		r.needsReview(payment.ReviewNotCaptured, r.Answer.Ref)
		return
	}
	charge, back := r.txn.Captured().NotCaptured(id, r.d.Now)
	r.txn = charge
	r.d.SaveTransaction(charge)
	r.d.Changes.NewTransactions = append(r.d.Changes.NewTransactions, back)
	r.d.Announce(event.PaymentRefunded{Payment: back.Announced()})
	if charge.InvoiceID != "" {
		r.d.Credit([]invoice.CreditEntry{{Amount: -charge.Amount, Reason: invoice.CreditNotCaptured}}, charge.InvoiceID)
	}
}

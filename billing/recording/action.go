package recording

import (
	"perennial/billing/event"
	"perennial/billing/payment"
)

// asksPayer notes whether a charge that its provider has accepted waits for the payer, and announces that once; not
// where a new payment method came meanwhile, which closes the link at once. It reports whether the payer's time is over
// where the provider cannot cancel.
func (r *recording) asksPayer() (over bool) {
	var news bool
	r.txn, news = r.Protocol.AsksPayer(r.txn, r.Answer.ConfirmURL, r.d.Real)
	if news && r.d.Subscription.MethodChangedAt.IsZero() {
		r.d.Announce(event.PaymentActionRequired{
			Payment: r.txn.Announced(), ConfirmURL: r.ConfirmLink, ConfirmBy: r.txn.Action.ExpiresAt.Unix(),
		})
	}
	return !r.Protocol.Cancel && r.Protocol.Overdue(r.txn, r.d.Real)
}

// canceled records that the provider will not capture the charge: since the payer did not confirm it in time, which is
// a failure like any other, or since a cancel was requested.
func (r *recording) canceled() error {
	if r.txn.CancelRequestedAt.IsZero() && r.Protocol.Overdue(r.txn, r.d.Real) {
		return r.unconfirmed()
	}
	return r.ended(payment.Canceled)
}

// unconfirmed records that the payer who was asked did not act.
func (r *recording) unconfirmed() error {
	r.Answer.FailureCode, r.Answer.FailureReason = "", payment.Unconfirmed
	return r.ended(payment.Failed)
}

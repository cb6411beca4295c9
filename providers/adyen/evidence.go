package adyen

import (
	"perennial/billing/money"
	"perennial/providers"
)

// statement is an item about a transaction of ours.
type statement struct {
	item
	op       operation // what our reference in it names
	amount   money.Minor
	currency money.Currency
}

// proves returns the proof of the item about the transaction; nil: none.
func (s statement) proves() (providers.Kind, *providers.Result) {
	if s.Success != "true" && s.Success != "false" {
		return providers.KindUnknown, nil
	}
	if s.op == opRefund {
		return s.refund()
	}
	if at, ok := steps[s.EventCode]; ok {
		return s.dispute(at)
	}
	switch s.EventCode {
	case eventAuthorisation:
		return s.authorisation()
	case eventCancellation, eventTechnicalCancel:
		return s.canceled()
	case eventCancelOrRefund:
		return s.reversed()
	case eventCaptureFailed:
		return s.lost("the capture failed at the card scheme")
	case eventExpire:
		return s.lost("the authorisation expired before it was captured")
	case eventRefund, eventRefundFailed, eventRefundedReversed:
		return s.refundElsewhere()
	}
	return providers.KindUnknown, nil
}

// superseded reports whether the item is about a payment that may have been made again with the payer present: one that
// was refused in the payer's absence. The reason of the refusal is not signed, and so is not known.
func (s statement) superseded() bool {
	return s.op == opUnattended && s.EventCode == eventAuthorisation && !s.done()
}

func (s statement) done() bool { return s.Success == "true" }

// authorisation: the account captures automatically, so an authorised payment is paid.
func (s statement) authorisation() (providers.Kind, *providers.Result) {
	if s.op != opCharge && s.op != opUnattended {
		return providers.KindUnknown, nil
	}
	res := &providers.Result{Outcome: providers.Succeeded, Ref: s.PSPReference, Amount: s.amount, Currency: s.currency}
	if s.done() {
		return providers.KindSucceeded, res
	}
	res.Outcome, res.FailureCode = providers.Failed, providers.DeclinedCode
	res.FailureReason = s.explained("the payment was refused")
	return providers.KindFailed, res
}

// canceled: a refused cancel leaves the payment as it was.
func (s statement) canceled() (providers.Kind, *providers.Result) {
	if !s.done() {
		return providers.KindUnknown, nil
	}
	return providers.KindFailed, &providers.Result{
		Outcome: providers.Canceled, Ref: s.item.payment(), Amount: s.amount, Currency: s.currency,
	}
}

// reversed: the item does not say under its signature whether the payment was canceled or refunded. Of a reversal that
// we asked for, of a partial authorisation, both mean that the charge stays declined; where it failed, a part of the
// money is taken, and the amount tells that it is not the whole.
func (s statement) reversed() (providers.Kind, *providers.Result) {
	res := &providers.Result{Ref: s.item.payment()}
	switch {
	case s.op == opReversal && s.done():
		res.Outcome, res.FailureCode = providers.Declined, providers.InsufficientFunds
		res.FailureReason = "only a part of the amount was authorised"
		return providers.KindFailed, res
	case s.op == opReversal:
		res.Outcome, res.Amount, res.Currency = providers.Succeeded, s.amount, s.currency
		return providers.KindSucceeded, res
	case !s.done():
		return providers.KindUnknown, nil
	}
	res.Outcome, res.Refunds = providers.Canceled, []providers.SeenRefund{{Ref: s.PSPReference, Amount: s.amount}}
	return providers.KindRefunded, res
}

// lost: a capture that failed, or an authorisation that was not captured in time.
func (s statement) lost(why string) (providers.Kind, *providers.Result) {
	if !s.done() {
		return providers.KindUnknown, nil
	}
	return providers.KindFailed, &providers.Result{
		Outcome: providers.Failed, Ref: s.item.payment(), Amount: s.amount, Currency: s.currency,
		FailureCode: providers.DeclinedCode, FailureReason: why,
	}
}

// refund is about a refund of ours. One that was paid out may still come back.
func (s statement) refund() (providers.Kind, *providers.Result) {
	res := &providers.Result{Ref: s.PSPReference, Amount: s.amount, Currency: s.currency}
	switch {
	case s.EventCode == eventRefund && s.done():
		res.Outcome = providers.Succeeded
		return providers.KindSucceeded, res
	case s.EventCode == eventRefund:
		res.Outcome, res.FailureReason = providers.Failed, "Adyen refused the refund"
		return providers.KindFailed, res
	case (s.EventCode == eventRefundFailed || s.EventCode == eventRefundedReversed) && s.done():
		res.Outcome, res.FailureReason = providers.Failed, "the refund came back"
		return providers.KindFailed, res
	}
	return providers.KindUnknown, nil
}

// refundElsewhere is about a refund that quotes the reference of its charge: a person made it in the Customer Area.
func (s statement) refundElsewhere() (providers.Kind, *providers.Result) {
	seen := providers.SeenRefund{Ref: s.PSPReference, Amount: s.amount}
	outcome := providers.Succeeded // a refunded payment was captured
	switch {
	case s.EventCode == eventRefund && !s.done():
		seen.Failed, outcome = true, providers.Pending // Adyen also refuses to refund what it never captured
	case s.EventCode == eventRefund:
	case s.done():
		seen.Failed = true
	default:
		return providers.KindUnknown, nil
	}
	return providers.KindRefunded, &providers.Result{
		Outcome: outcome, Ref: s.item.payment(), Refunds: []providers.SeenRefund{seen},
	}
}

package invoice

import "perennial/billing/money"

// CreditReason is the reason of a change of a customer's credit.
type CreditReason string

// The reasons.
const (
	CreditProration CreditReason = "proration" // an invoice's lines summed to less than zero
	CreditApplied   CreditReason = "applied"   // used to pay an invoice
	CreditReturned  CreditReason = "returned"  // the invoice it had paid was voided
	// CreditCarriedForward: an amount that a provider cannot charge became a debit; above zero: its invoice was voided.
	CreditCarriedForward CreditReason = "carried_forward"
	// CreditBroughtForward: a debit is collected with an invoice; below zero: that was voided.
	CreditBroughtForward CreditReason = "brought_forward"
	CreditRefunded       CreditReason = "refunded"      // went back in money
	CreditRefundFailed   CreditReason = "refund_failed" // given instead of a refund that failed
	CreditImported       CreditReason = "imported"      // brought from another system, without an invoice
	CreditNotCaptured    CreditReason = "not_captured"  // the success that had paid an invoice was taken back
	CreditNoted          CreditReason = "credit_note"   // given by a credit note
	// CreditSettled: credit notes of the same decision paid the invoice.
	CreditSettled  CreditReason = "settled"
	CreditAdjusted CreditReason = "adjusted" // given or taken by a person, without an invoice
	CreditGranted  CreditReason = "granted"  // a credit grant was given
	CreditExpired  CreditReason = "expired"  // the rest of a credit grant that expired
	CreditVoided   CreditReason = "voided"   // the rest of a credit grant that was voided
)

// CreditEntry is an entry of an invoice in its customer's credit ledger: below zero where credit pays for it. An amount
// of zero is not written.
type CreditEntry struct {
	Amount money.Minor
	Reason CreditReason
	// GrantID is the credit grant that it moves; empty: the plain balance.
	GrantID string
}

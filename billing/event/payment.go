package event

// The types about payments.
const (
	TypePaymentPending      Type = "payment.pending"
	TypePaymentSuccess      Type = "payment.success"
	TypePaymentFailed       Type = "payment.failed"
	TypePaymentCanceled     Type = "payment.canceled"
	TypePaymentRefunded     Type = "payment.refunded"
	TypePaymentRefundFailed Type = "payment.refund_failed"
	TypePaymentNeedsReview  Type = "payment.needs_review"

	TypePaymentActionRequired Type = "payment.action_required"
)

// Payment has the fields of all events about a payment transaction.
type Payment struct {
	ID             string `json:"id" doc:"The payment transaction; receivers deduplicate on it."`
	CustomerID     string `json:"customerId" doc:"The customer."`
	Amount         int64  `json:"amount" doc:"What the attempt is to move, in minor units of the currency."`
	Currency       string `json:"currency" doc:"ISO 4217 code."`
	SubscriptionID string `json:"subscriptionId,omitempty" doc:"The subscription."`
	InvoiceID      string `json:"invoiceId,omitempty" doc:"The invoice that the payment is for."`
	ChargeID       string `json:"chargeId,omitempty" doc:"Of a refund: the charge that it gives back."`
}

func (p Payment) about() about { return about{p.ID, p.CustomerID, p.SubscriptionID} }

// PaymentPending means that the provider, or the payer, has not decided yet.
type PaymentPending struct{ Payment }

// PaymentActionRequired means that the payer must confirm the charge before it can succeed: send them the link. It
// follows payment.pending, and is sent once for a charge.
type PaymentActionRequired struct {
	Payment
	ConfirmURL string `json:"confirmUrl" doc:"Where the payer confirms. Who has the link can use it: send it to the payer only."`
	ConfirmBy  int64  `json:"confirmBy" doc:"Until when, in Unix seconds of real time, also on a test clock. Then the charge fails."`
}

// PaymentSuccess means that the money moved.
type PaymentSuccess struct{ Payment }

// PaymentFailed means that an attempt moved no money.
type PaymentFailed struct {
	Payment
	FailureReason string `json:"failureReason" doc:"What the provider said, for people. Empty after the erasure of the customer."`
	FailureCode   string `json:"failureCode" doc:"Why, as a code."`
	AttemptNumber int    `json:"attemptNumber,omitempty" doc:"Counts the attempts of the invoice from 1. A charge of its own has none."`
	NoReminder    bool   `json:"-"` // no mail to the customer follows
}

// PaymentCanceled means that an attempt was called off before it moved money.
type PaymentCanceled struct{ Payment }

// PaymentRefunded means that money went back.
type PaymentRefunded struct{ Payment }

// PaymentRefundFailed means that money that was to go back did not; it stays owed.
type PaymentRefundFailed struct {
	Payment
	FailureReason string `json:"failureReason" doc:"What the provider said, for people. Empty after the erasure of the customer."`
}

// PaymentNeedsReview means that it is not certain what became of the money; a person must review it.
type PaymentNeedsReview struct {
	Payment
	Reason      string `json:"reason" doc:"Why it needs review, as a code."`
	ProviderRef string `json:"providerRef,omitempty" doc:"The provider's own id of what it reported."`
}

// Type implements Data.
func (PaymentPending) Type() Type { return TypePaymentPending }

// Type implements Data.
func (PaymentActionRequired) Type() Type { return TypePaymentActionRequired }

// Type implements Data.
func (PaymentSuccess) Type() Type { return TypePaymentSuccess }

// Type implements Data.
func (PaymentFailed) Type() Type { return TypePaymentFailed }

// Type implements Data.
func (PaymentCanceled) Type() Type { return TypePaymentCanceled }

// Type implements Data.
func (PaymentRefunded) Type() Type { return TypePaymentRefunded }

// Type implements Data.
func (PaymentRefundFailed) Type() Type { return TypePaymentRefundFailed }

// Type implements Data.
func (PaymentNeedsReview) Type() Type { return TypePaymentNeedsReview }

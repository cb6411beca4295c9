package event

// The types about payments.
const (
	TypePaymentPending      Type = "payment.pending"
	TypePaymentSuccess      Type = "payment.success"
	TypePaymentFailed       Type = "payment.failed"
	TypePaymentCanceled     Type = "payment.canceled"
	TypePaymentRefunded     Type = "payment.refunded"
	TypePaymentRefundFailed Type = "payment.refund_failed"
	TypePaymentParked       Type = "payment.parked"
)

// Payment is what every event about a payment transaction carries. Amount is in minor units.
type Payment struct {
	ID             string `json:"id"`
	CustomerID     string `json:"customerId"`
	Amount         int64  `json:"amount"`
	Currency       string `json:"currency"`
	SubscriptionID string `json:"subscriptionId,omitempty"`
	InvoiceID      string `json:"invoiceId,omitempty"`
	ChargeID       string `json:"chargeId,omitempty"` // a refund: the charge that it gives back
}

func (p Payment) about() about { return about{p.ID, p.CustomerID, p.SubscriptionID} }

// PaymentPending: the provider, or the payer, has not decided yet.
type PaymentPending struct{ Payment }

// PaymentSuccess: the money moved.
type PaymentSuccess struct{ Payment }

// PaymentFailed: an attempt moved no money. AttemptNumber counts the attempts of its invoice from 1; a charge of its own has
// none.
type PaymentFailed struct {
	Payment
	FailureReason string `json:"failureReason"`
	FailureCode   string `json:"failureCode"`
	AttemptNumber int    `json:"attemptNumber,omitempty"`
}

// PaymentCanceled: an attempt was called off before it moved money.
type PaymentCanceled struct{ Payment }

// PaymentRefunded: money went back.
type PaymentRefunded struct{ Payment }

// PaymentRefundFailed: money that was to go back did not; it stays owed.
type PaymentRefundFailed struct {
	Payment
	FailureReason string `json:"failureReason"`
}

// PaymentParked: it is not certain what became of the money; a person must review it.
type PaymentParked struct {
	Payment
	Reason      string `json:"reason"`
	ProviderRef string `json:"providerRef,omitempty"`
}

// Type implements Data.
func (PaymentPending) Type() Type { return TypePaymentPending }

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
func (PaymentParked) Type() Type { return TypePaymentParked }

package payment

import (
	"time"

	"perennial/billing/collection"
	"perennial/billing/customer"
	"perennial/billing/money"
	"perennial/billing/paymethod"
)

// Transaction is one attempt to move money. Amount is in minor units of Currency. Zero times mean "not yet"; times of
// the charge protocol (SendDueAt, UnsentAt, FirstSentAt, NextCheckAt, NotFoundAt, Silence, ParkedAt, CancelRequestedAt)
// are real, also on a test clock.
type Transaction struct {
	ID               string
	Type             Type
	Status           Status
	CustomerID       string
	SubscriptionID   string // empty: a charge of its own
	InvoiceID        string
	Amount           money.Minor
	Currency         money.Currency
	Description      string
	AttemptNumber    int // of the invoice
	Trigger          collection.Trigger
	Provider         string
	ProviderConfigID string
	ProviderRef      string
	Method           Method
	PaymentMethodID  string // of Method; empty: none, or written by a build from before methods had ids
	FailureCode      string
	FailureReason    string
	ProviderResponse []byte // redacted JSON
	ChargeID         string // a refund: the charge it gives back
	RecoveredFrom    string
	AmountRefunded   money.Minor
	RefundOwed       money.Minor // of a charge: the amount that failed refunds did not give back
	Disputes         Disputes    // of a charge
	DisputedAt       time.Time   // since when a dispute is not closed, in real time; zero: all are
	ReturnedAt       time.Time   // of a refund that had gone through: the money came back

	HeldBack          Hold // of a first send
	SendNumber        int
	FirstSentAt       time.Time
	CancelRequestedAt time.Time
	NextCheckAt       time.Time
	SendDueAt         time.Time // when the first send, or the one after proof of absence, was due, in real time
	UnsentAt          time.Time // when every account that might have a lost send of it had none; see MayRepeat
	Checks            int
	NotFoundCount     int
	NotFoundAt        time.Time
	Silence           Silence
	ParkedAt          time.Time
	Review            Review
	Action            Action // of a charge

	DueAt       time.Time
	CompletedAt time.Time
	CreatedAt   time.Time
	Revision    int64

	// Granularity: refunds of the charge are multiples of it, as its provider expresses amounts; 0: any amount. It is not
	// stored: code that locks a charge to refund it sets it.
	Granularity money.Minor
}

// Confirms reports whether a provider's success matches the request. A value that the provider omits (zero, empty)
// contradicts nothing.
func (t Transaction) Confirms(amount money.Minor, currency money.Currency) bool {
	return (amount == 0 || amount == t.Amount) && (currency == "" || currency == t.Currency)
}

// Method is the customer's payment method as it was when the attempt was made.
type Method struct {
	Type    string                  `json:"type"`
	Details customer.PaymentDetails `json:"details"`
}

// Refusal returns why an account at a provider does not accept the method, for people; empty: it does, or that is not
// known. support is the support of such methods by accounts at the provider; nil: not known. A saved method works only
// at the provider that saved it, whatever others make of its token.
func (m Method) Refusal(provider string, support *paymethod.Support) string {
	d := m.Details
	switch {
	case d.PaymentMethodToken != "" && d.Provider != "" && d.Provider != provider:
		return "the payment method was saved at " + d.Provider
	case support == nil || support.Accepted:
		return ""
	}
	return support.Reason
}

// Recover returns the success of its own that a capture on a canceled charge becomes, since canceled is final. now is
// the subscription's own time.
func (t Transaction) Recover(id string, now time.Time) Transaction {
	t.RecoveredFrom, t.ID = t.ID, id
	t.Status, t.CompletedAt, t.CreatedAt, t.Revision = Success, now, now, 1
	t.FailureCode, t.FailureReason = "", ""
	t.ParkedAt, t.Review, t.Action = time.Time{}, Review{}, Action{}
	return t
}

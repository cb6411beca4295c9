// Package providers owns the port through which money moves: one interface that each payment provider's adapter
// implements, and the vocabulary of outcomes. It does not own what an outcome means for an invoice (billing/collection)
// nor when a call is made (activities).
package providers

import (
	"context"
	"net/http"
	"time"

	"perennial/billing/money"
)

// Outcome is what one exchange with a provider proved. Silence proves nothing: see Unknown.
type Outcome string

// The outcomes.
const (
	// Succeeded: the money moved (charge captured, refund paid out).
	Succeeded Outcome = "succeeded"
	// Declined: payer or issuer refused synchronously. Final for this attempt.
	Declined Outcome = "declined"
	// Failed: a pending operation ended badly, or a technical refusal by the provider. Final for this attempt.
	Failed Outcome = "failed"
	// Canceled: the provider confirms that the charge was canceled and will not capture.
	Canceled Outcome = "canceled"
	// Pending: accepted, not final yet.
	Pending Outcome = "pending"
	// Unknown: bytes left, and no answer that proves anything came back (time-out, reset, 5xx). Never failed on this.
	Unknown Outcome = "unknown"
	// NotSent: surely not taken: DNS, connect or TLS failure, 401, 403, 429, or a documented "not processed". Safe to
	// send again, here or elsewhere. Only from Charge and Refund: a look-up or cancel that did not get through says
	// nothing about the operation it asked after, so those answer Unknown.
	NotSent Outcome = "not_sent"
	// NotFound: only from look-ups: the provider knows no such operation.
	NotFound Outcome = "not_found"
)

// Final reports whether the provider will not change its mind about the operation by itself.
func (o Outcome) Final() bool {
	return o == Succeeded || o == Declined || o == Failed || o == Canceled
}

// FailureCode is the normalised reason of a failed payment; the five values are the interface specification's.
type FailureCode string

// The failure codes.
const (
	InsufficientFunds FailureCode = "INSUFFICIENT_FUNDS"
	InvalidAccount    FailureCode = "INVALID_ACCOUNT"
	DeclinedCode      FailureCode = "DECLINED"
	DailyLimit        FailureCode = "DAILY_LIMIT"
	AccountBlocked    FailureCode = "ACCOUNT_BLOCKED"
)

// MethodFault begins the code of every fault that is about the customer's payment method, not about the request.
const MethodFault = "payment_method_"

// Limits say which amounts of a currency a provider takes.
type Limits = money.Limits

// Method is how a customer pays, as the customer's paymentMethod and paymentDetails hold it. Tokens only: a card
// number never reaches us.
type Method struct {
	Type               string // "card" or mobile_money_<operator>
	CustomerToken      string // the provider's customer (Stripe cus_…)
	PaymentMethodToken string // the provider's saved method (Stripe pm_…)
	PhoneNumber        string // international format, mobile money only
}

// ChargeRequest asks for money. The same TransactionID and Key must always carry the same other fields.
type ChargeRequest struct {
	TransactionID string // our reference, stored at the provider (txn_…)
	Key           string // idempotency key: UUIDv5 of transaction and send
	Amount        money.Minor
	Currency      money.Currency
	Method        Method
	Description   string // shown to the payer; no personal data
}

// RefundRequest gives money of a captured charge back.
type RefundRequest struct {
	TransactionID string // of the refund (txn_…)
	Key           string
	ChargeRef     string // provider's reference of the charge
	Amount        money.Minor
	Currency      money.Currency
}

// LookupRequest asks what became of an operation. Ref is the provider's reference where we ever learned it; without
// it the adapter searches by TransactionID. ChargeRef, only for refunds, is the reference of the refunded charge: it
// makes a search exact where the provider lists refunds by charge.
type LookupRequest struct {
	TransactionID string
	Ref           string
	ChargeRef     string
	Since         bool // of a charge: where it was captured, also list its refunds and disputes
}

// Result is what an exchange brought back. Amount and Currency are the provider's own words, for the caller to
// compare; zero where the provider did not say.
type Result struct {
	Outcome  Outcome
	Ref      string // provider's reference of the operation
	Amount   money.Minor
	Currency money.Currency
	// Refunds and Disputes of the charge, by whoever, only where the request asked for them. Refunds that failed are left
	// out.
	Refunds       []SeenRefund
	Disputes      []Dispute
	FailureCode   FailureCode
	FailureReason string // a sentence for people, from the provider
	HTTPStatus    int
	Response      []byte        // the provider's JSON, redacted by the adapter; nil where there was none
	RetryAfter    time.Duration // how long the provider asked us to wait; zero if it did not
}

// SeenRefund is a refund in the provider's list of those of a charge.
type SeenRefund struct {
	Ref           string
	TransactionID string // our reference in it; empty: it was made without us
	Amount        money.Minor
	Pending       bool
}

// DisputeState is how a dispute stands.
type DisputeState string

// The states.
const (
	DisputeOpen DisputeState = "open" // also an inquiry that may become one
	DisputeWon  DisputeState = "won"  // also withdrawn, or closed without a loss
	DisputeLost DisputeState = "lost"
)

// Dispute is a payer's objection to a charge at the payer's bank. Amount may differ from the charge's. Withdrawn is
// what the bank holds of it now, or has taken for good, in the same currency and without fees.
type Dispute struct {
	Ref       string
	State     DisputeState
	Amount    money.Minor
	Currency  money.Currency
	Withdrawn money.Minor
}

// Kind is what a callback is about, in words that all providers share.
type Kind string

// The kinds. An adapter gives one only where it is sure: a callback of KindUnknown is always looked at.
const (
	KindUnknown    Kind = ""
	KindCreated    Kind = "created"    // the operation exists
	KindProcessing Kind = "processing" // it is not decided
	KindSucceeded  Kind = "succeeded"
	KindFailed     Kind = "failed"   // also declined or canceled
	KindRefunded   Kind = "refunded" // money of a charge went back, by whoever
	KindDisputed   Kind = "disputed"
)

// Callback is one verified message from a provider.
type Callback struct {
	EventID       string // the provider's own event ID: dedupe on it
	Type          string
	Kind          Kind
	TransactionID string // our reference, if the message carries it
	Ref           string // provider's reference
	// AmountRefunded is how much of the charge went back in total, according to the message; zero: it does not say.
	AmountRefunded money.Minor
}

// Provider is implemented by every adapter. Outcomes, declines and time-outs are Results; an error means that the
// request itself was impossible (a bug, a currency the provider cannot represent, or a method it cannot charge, see
// MethodFault: a fault.Invalid).
type Provider interface {
	// Name is the identifier of the provider in the API ("stripe").
	Name() string
	// ReplayWindow is how long, in real time since the first send, a repeat with the same key returns the first
	// result instead of charging again.
	ReplayWindow() time.Duration
	// Limits returns which charges in a currency the provider takes. Charge must not refuse for its amount what they
	// allow.
	Limits(currency money.Currency) Limits
	Charge(ctx context.Context, in ChargeRequest) (Result, error)
	LookupCharge(ctx context.Context, in LookupRequest) (Result, error)
	// CancelCharge asks to cancel a pending charge; the Result tells the charge's state afterwards.
	CancelCharge(ctx context.Context, in LookupRequest) (Result, error)
	Refund(ctx context.Context, in RefundRequest) (Result, error)
	LookupRefund(ctx context.Context, in LookupRequest) (Result, error)
	// TestConnection checks the credentials and that they belong to the environment.
	TestConnection(ctx context.Context) error
	// ParseCallback verifies a message over its unmodified raw body and says what it is about. now is real time.
	// A forged or stale message is a fault.Unauthorized.
	ParseCallback(header http.Header, body []byte, now time.Time) (Callback, error)
}

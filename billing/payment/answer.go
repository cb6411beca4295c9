package payment

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// Outcome is what one exchange with a provider proved. Silence proves nothing.
type Outcome string

// The outcomes. The providers package, whose adapters return them under the same names, says exactly what each proves.
const (
	AnswerSucceeded Outcome = "succeeded"
	AnswerDeclined  Outcome = "declined"
	AnswerFailed    Outcome = "failed"
	AnswerCanceled  Outcome = "canceled"
	AnswerPending   Outcome = "pending"
	AnswerUnknown   Outcome = "unknown"
	AnswerNotSent   Outcome = "not_sent"
	AnswerNotFound  Outcome = "not_found"
)

// Final reports whether the provider will not change its mind about the operation by itself.
func (o Outcome) Final() bool {
	return o == AnswerSucceeded || o == AnswerDeclined || o == AnswerFailed || o == AnswerCanceled
}

// Answer is what a provider said. Amount and Currency are its own words, zero where it did not say; a negative Amount
// is one that cannot be read.
type Answer struct {
	Outcome  Outcome
	Ref      string
	Amount   money.Minor
	Currency money.Currency
	// Refunds and Disputes are those of a charge, by whoever; nil where they were not asked for.
	Refunds       []SeenRefund
	Disputes      []Dispute
	SinceUnread   bool   // they were asked for, and could not be read
	ConfirmURL    string // the provider's page where the payer can confirm a pending charge; empty: there is none
	FailureCode   string
	FailureReason string
	Response      []byte        // redacted JSON
	RetryAfter    time.Duration // how long the provider asked us to wait; zero if it did not
}

// CodeOf returns the failure code for a request that could not be made: INVALID_ACCOUNT where the payment method cannot
// be charged, which another one fixes, else DECLINED.
func CodeOf(f *fault.Error) string {
	if f.AboutPaymentMethod() {
		return CodeInvalidAccount
	}
	return CodeDeclined
}

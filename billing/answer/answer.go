// Package answer is the vocabulary of a provider's statements about an operation: its outcome, and the refunds and
// disputes of a charge. The adapters in providers speak it; payment and recording believe or doubt it. It does not own
// the consequences of an answer (payment, charging, recording), nor the requests (providers).
package answer

import (
	"time"

	"perennial/billing/money"
)

// Outcome is the fact that one exchange with a provider proved. Silence proves nothing: see Unknown.
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
	// nothing about the operation it asked after, so those answer Unknown. CompleteCharge has a use of its own for it.
	NotSent Outcome = "not_sent"
	// NotFound: only from look-ups: the provider knows no such operation.
	NotFound Outcome = "not_found"
)

// Final reports whether the provider will not change the outcome on its own.
func (o Outcome) Final() bool {
	return o == Succeeded || o == Declined || o == Failed || o == Canceled
}

// Answer is the result of an exchange with a provider, or of a callback that proves something. Amount and Currency are
// the provider's own figures, for the caller to compare; zero where it gave none.
type Answer struct {
	Outcome  Outcome
	Ref      string      // provider's reference of the operation
	Amount   money.Minor // or UnreadableAmount
	Currency money.Currency
	// Refunds and Disputes of the charge, only where the request asked for them. They include those made at the
	// provider. Failed refunds are left out.
	Refunds  []Refund
	Disputes []Dispute
	// SinceUnread: the request asked for Refunds and Disputes, and they could not be read, or not all of them. Both are
	// empty then; the Outcome holds all the same.
	SinceUnread   bool
	FailureCode   FailureCode
	FailureReason string        // a sentence for people, from the provider
	HTTPStatus    int           // zero: no answer came at all
	Response      []byte        // the provider's JSON, redacted by the adapter; nil where there was none
	RetryAfter    time.Duration // how long the provider asked us to wait; zero if it did not
	// NotOffered, of NotSent: the account does not take this kind of charge now (an operator that is closed, or not
	// activated for it), which says nothing about its credentials and its other charges.
	NotOffered bool
	// ConfirmURL is a page of the provider where the payer can confirm a pending charge; empty: there is none.
	ConfirmURL string
}

// UnreadableAmount is the Amount of a callback's answer whose own cannot be expressed: nothing is booked unseen.
const UnreadableAmount money.Minor = -1

// Refund is an entry in the provider's list of the refunds of a charge.
type Refund struct {
	Ref           string      `json:"ref"`
	TransactionID string      `json:"transactionId,omitempty"` // our reference in it; empty: it was made without us
	Amount        money.Minor `json:"amount"`
	Pending       bool        `json:"pending,omitempty"`
	Failed        bool        `json:"failed,omitempty"` // refused, or come back after it was paid out; only by a callback
}

package providers

import (
	"time"

	"perennial/billing/money"
)

// Result is what an exchange brought back. Amount and Currency are the provider's own words, for the caller to
// compare; zero where the provider did not say.
type Result struct {
	Outcome  Outcome
	Ref      string      // provider's reference of the operation
	Amount   money.Minor // or UnreadableAmount
	Currency money.Currency
	// Refunds and Disputes of the charge, by whoever, only where the request asked for them. Refunds that failed are left
	// out.
	Refunds  []SeenRefund
	Disputes []Dispute
	// SinceUnread: the request asked for Refunds and Disputes, and they could not be read, or not all of them. Both are
	// empty then; the Outcome holds all the same.
	SinceUnread   bool
	FailureCode   FailureCode
	FailureReason string // a sentence for people, from the provider
	HTTPStatus    int
	Response      []byte        // the provider's JSON, redacted by the adapter; nil where there was none
	RetryAfter    time.Duration // how long the provider asked us to wait; zero if it did not
	// NotOffered, of NotSent: the account does not take this kind of charge now (an operator that is closed, or not
	// activated for it), which says nothing about its credentials and its other charges.
	NotOffered bool
	// ConfirmURL is a page of the provider where the payer can confirm a pending charge; empty: there is none.
	ConfirmURL string
}

// UnreadableAmount is the Amount of a callback's Evidence whose own cannot be expressed: nothing is booked unseen.
const UnreadableAmount money.Minor = -1

// SeenRefund is a refund in the provider's list of those of a charge.
type SeenRefund struct {
	Ref           string
	TransactionID string // our reference in it; empty: it was made without us
	Amount        money.Minor
	Pending       bool
	Failed        bool // refused, or come back after it was paid out; only in a callback's Evidence
}

// DisputeState is how a dispute stands.
type DisputeState string

// The states.
const (
	DisputeOpen        DisputeState = "open"         // it can be answered
	DisputeUnderReview DisputeState = "under_review" // it was answered; the bank decides
	DisputeWon         DisputeState = "won"          // also withdrawn, or closed without a loss
	DisputeLost        DisputeState = "lost"
)

// DisputeStage is how far a dispute has gone.
type DisputeStage string

// The stages.
const (
	StageInquiry     DisputeStage = "inquiry" // the bank asks; it may become a chargeback
	StageChargeback  DisputeStage = "chargeback"
	StageArbitration DisputeStage = "arbitration" // the merchant has objected to the chargeback, and the bank insists
)

// Dispute is a payer's objection to a charge at the payer's bank. Amount may differ from the charge's. Withdrawn is
// what the bank holds of it now, or has taken for good, in the same currency and without fees.
type Dispute struct {
	Ref       string
	State     DisputeState
	Stage     DisputeStage
	Reason    string // the provider's code; empty: unknown
	Amount    money.Minor
	Currency  money.Currency
	Withdrawn money.Minor
	// Order is that of what callbacks say about one dispute, since they may arrive in any other: what has a lower one than
	// what is known already is overtaken. Zero, from a look-up: it is the present state.
	Order int
	// EvidenceDueAt is until when the dispute can be answered; zero: unknown.
	EvidenceDueAt time.Time
}

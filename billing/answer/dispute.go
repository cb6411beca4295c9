package answer

import (
	"time"

	"perennial/billing/money"
)

// DisputeState is the state of a dispute.
type DisputeState string

// The states. A closed dispute never opens again; its bank may still overturn the end.
const (
	DisputeOpen        DisputeState = "open"         // it can be answered
	DisputeUnderReview DisputeState = "under_review" // it was answered; the bank decides
	DisputeWon         DisputeState = "won"          // also withdrawn, or closed without a loss
	DisputeLost        DisputeState = "lost"
)

// Closed reports whether the bank has decided.
func (s DisputeState) Closed() bool { return s == DisputeWon || s == DisputeLost }

// DisputeStage is the stage that a dispute has reached.
type DisputeStage string

// The stages.
const (
	StageInquiry     DisputeStage = "inquiry" // the bank asks; it may become a chargeback
	StageChargeback  DisputeStage = "chargeback"
	StageArbitration DisputeStage = "arbitration" // the merchant has objected to the chargeback, and the bank insists
)

// Dispute is a payer's objection to a charge at the payer's bank, as its provider describes it. Amount may differ from
// the charge's. Withdrawn is the amount that the bank holds now, or has taken for good, in the same currency and
// without fees.
type Dispute struct {
	Ref       string         `json:"ref"`
	State     DisputeState   `json:"state"`
	Stage     DisputeStage   `json:"stageName,omitempty"` // empty: from before it was kept
	Reason    string         `json:"reason,omitempty"`    // the provider's code; empty: unknown
	Amount    money.Minor    `json:"amount"`
	Currency  money.Currency `json:"currency"`
	Withdrawn money.Minor    `json:"withdrawn"`
	// Order orders callbacks about one dispute, which may arrive in any order: one with a lower order than the last is
	// outdated. Zero, from a look-up: it is the present state.
	Order         int       `json:"stage,omitempty"`
	EvidenceDueAt time.Time `json:"evidenceDueAt,omitzero"` // until when it can be answered; zero: unknown
}

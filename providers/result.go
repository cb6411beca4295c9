package providers

import "perennial/billing/answer"

// Adapters return the vocabulary of billing/answer, under the names of this port.
type (
	// Result is the result of an exchange.
	Result = answer.Answer
	// Outcome is the fact that one exchange proved.
	Outcome = answer.Outcome
	// FailureCode is the normalised reason of a failed payment.
	FailureCode = answer.FailureCode
	// SeenRefund is an entry in the provider's list of the refunds of a charge.
	SeenRefund = answer.Refund
	// Dispute is a payer's objection to a charge at the payer's bank.
	Dispute = answer.Dispute
	// DisputeState is the state of a dispute.
	DisputeState = answer.DisputeState
	// DisputeStage is the stage that a dispute has reached.
	DisputeStage = answer.DisputeStage
)

// The outcomes.
const (
	Succeeded = answer.Succeeded
	Declined  = answer.Declined
	Failed    = answer.Failed
	Canceled  = answer.Canceled
	Pending   = answer.Pending
	Unknown   = answer.Unknown
	NotSent   = answer.NotSent
	NotFound  = answer.NotFound
)

// The failure codes.
const (
	InsufficientFunds = answer.InsufficientFunds
	InvalidAccount    = answer.InvalidAccount
	DeclinedCode      = answer.DeclinedCode
	DailyLimit        = answer.DailyLimit
	AccountBlocked    = answer.AccountBlocked
)

// The states of a dispute.
const (
	DisputeOpen        = answer.DisputeOpen
	DisputeUnderReview = answer.DisputeUnderReview
	DisputeWon         = answer.DisputeWon
	DisputeLost        = answer.DisputeLost
)

// The stages of a dispute.
const (
	StageInquiry     = answer.StageInquiry
	StageChargeback  = answer.StageChargeback
	StageArbitration = answer.StageArbitration
)

// UnreadableAmount is the Amount of a callback's Evidence whose own cannot be expressed: nothing is booked unseen.
const UnreadableAmount = answer.UnreadableAmount

// MethodFault begins the code of every fault that is about the customer's payment method, not about the request.
const MethodFault = "payment_method_"

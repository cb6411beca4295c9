// Package delivery owns the rules of webhooks: which events an endpoint wants, when the next attempt is due, when a
// failing endpoint is disabled, and which secrets sign. It is pure: it knows no clock, no random and no network. It
// does not own the bytes and the signature of a request (webhooks) nor what is owed to whom (db).
package delivery

import "time"

// Status is where a delivery, an event that an endpoint is owed, stands.
type Status string

// The statuses. A failed or succeeded delivery becomes pending again only by a redelivery.
const (
	Pending   Status = "pending"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
)

// FailedReason says why nothing more is attempted.
type FailedReason string

// The reasons.
const (
	FailedAttemptsUsed     FailedReason = "attempts_used"
	FailedEndpointDisabled FailedReason = "endpoint_disabled"
)

// Outcome is how an attempt, one POST, ended.
type Outcome string

// The outcomes. A crash leaves an attempt open, and nobody knows whether the request arrived.
const (
	OutcomeSucceeded Outcome = "succeeded"
	OutcomeFailed    Outcome = "failed"
	OutcomeUnknown   Outcome = "unknown"
)

// Retention is how long deliveries and their attempts are kept.
const Retention = 90 * 24 * time.Hour

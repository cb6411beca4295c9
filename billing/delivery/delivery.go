// Package delivery owns the rules of webhooks: which events an endpoint wants, when the next attempt is due, when a
// failing endpoint is disabled, and which secrets sign. It is pure: it knows no clock, no random and no network. It
// does not own the bytes and the signature of a request (webhooks) nor the deliveries of an endpoint (db).
package delivery

import "time"

// Status is the state of a delivery, which is an event for an endpoint.
type Status string

// The statuses. A failed or succeeded delivery becomes pending again only by a redelivery.
const (
	Pending   Status = "pending"
	Succeeded Status = "succeeded"
	Failed    Status = "failed"
)

// FailedReason is the reason why there are no more attempts.
type FailedReason string

// The reasons.
const (
	FailedAttemptsUsed     FailedReason = "attempts_used"
	FailedEndpointDisabled FailedReason = "endpoint_disabled"
)

// Outcome is the result of an attempt, one POST.
type Outcome string

// The outcomes. A crash leaves an attempt open: it is not known whether the request arrived.
const (
	OutcomeSucceeded Outcome = "succeeded"
	OutcomeFailed    Outcome = "failed"
	OutcomeUnknown   Outcome = "unknown"
)

// Retention is the time for which deliveries and their attempts are kept.
const Retention = 90 * 24 * time.Hour

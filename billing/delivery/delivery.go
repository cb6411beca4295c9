// Package delivery owns the rules of webhooks: which events an endpoint wants, when the next attempt is due, and when a
// failing endpoint is disabled. It is pure: it knows no clock, no random and no network. It does not own the bytes and
// the signature of a request (webhooks) nor what is owed to whom (db).
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
	AttemptsUsed     FailedReason = "attempts_used"
	EndpointDisabled FailedReason = "endpoint_disabled"
)

// Outcome is how an attempt, one POST, ended.
type Outcome string

// The outcomes. A crash leaves an attempt open, and nobody knows whether the request arrived.
const (
	OutcomeSucceeded Outcome = "succeeded"
	OutcomeFailed    Outcome = "failed"
	OutcomeUnknown   Outcome = "unknown"
)

// EndpointStatus says whether events are sent to an endpoint.
type EndpointStatus string

// The statuses of an endpoint. Events that happen while it is disabled are not owed to it.
const (
	EndpointEnabled EndpointStatus = "enabled"
	// EndpointIsDisabled: what was pending has failed, with the reason endpoint_disabled.
	EndpointIsDisabled EndpointStatus = "disabled"
)

// DisabledReason says who disabled an endpoint.
type DisabledReason string

// The reasons.
const (
	DisabledByRequest DisabledReason = "requested"
	DisabledFailing   DisabledReason = "failing"
	DisabledDeleted   DisabledReason = "deleted"
)

// SecretOverlap is how long the previous secret signs too after a rotation.
const SecretOverlap = 24 * time.Hour

// Retention is how long deliveries and their attempts are kept.
const Retention = 90 * 24 * time.Hour

package delivery

import "time"

// EndpointStatus says whether events are sent to an endpoint.
type EndpointStatus string

// The statuses of an endpoint. Events that happen while it is disabled are not owed to it.
const (
	EndpointEnabled EndpointStatus = "enabled"
	// EndpointDisabled: pending deliveries have failed, with the reason endpoint_disabled.
	EndpointDisabled EndpointStatus = "disabled"
)

// DisabledReason is the reason why an endpoint is disabled.
type DisabledReason string

// The reasons.
const (
	DisabledByRequest DisabledReason = "requested"
	DisabledFailing   DisabledReason = "failing"
	DisabledGone      DisabledReason = "gone" // the receiver answered 410
	DisabledDeleted   DisabledReason = "deleted"
)

// secretOverlap is the time for which the previous secret signs too after a rotation.
const secretOverlap = 24 * time.Hour

// Endpoint is the part of a webhook endpoint that the rules need. Each change reports whether anything is different
// afterwards.
type Endpoint struct {
	Status         EndpointStatus
	DisabledReason DisabledReason // empty: enabled
	DisabledAt     time.Time      // zero: enabled
	FailingSince   time.Time      // zero: the last attempt succeeded, or none was made
	DeletedAt      time.Time      // zero: not deleted
	SecretSealed   []byte
	// After a rotation, both secrets sign until PreviousSecretUntil.
	PreviousSecretSealed []byte
	PreviousSecretUntil  time.Time
}

// Disable ends the deliveries to an enabled endpoint.
func (e *Endpoint) Disable(reason DisabledReason, now time.Time) bool {
	if e.Status == EndpointDisabled {
		return false
	}
	e.Status, e.DisabledReason, e.DisabledAt = EndpointDisabled, reason, now
	return true
}

// GiveUp disables an endpoint for how its attempts ended, as Health says: for failures since a time, unless an attempt
// has succeeded meanwhile, or because the receiver is gone.
func (e *Endpoint) GiveUp(reason DisabledReason, since, now time.Time) bool {
	if reason == DisabledFailing && e.FailingSince.IsZero() || !e.Disable(reason, now) {
		return false
	}
	if e.FailingSince.IsZero() {
		e.FailingSince = since
	}
	return true
}

// Enable enables a disabled endpoint. The days after which a failing endpoint is disabled count from its next failure.
func (e *Endpoint) Enable() bool {
	if e.Status == EndpointEnabled {
		return false
	}
	e.Status, e.DisabledReason, e.DisabledAt, e.FailingSince = EndpointEnabled, "", time.Time{}, time.Time{}
	return true
}

// Delete disables an endpoint for good.
func (e *Endpoint) Delete(now time.Time) bool {
	e.Status, e.DisabledReason, e.DisabledAt, e.DeletedAt = EndpointDisabled, DisabledDeleted, now, now
	return true
}

// Rotate replaces the secret. The previous one signs for a day longer, unless it is revoked because others may know it.
// One that is still valid from an earlier rotation ends.
func (e *Endpoint) Rotate(sealed []byte, revoke bool, now time.Time) bool {
	e.PreviousSecretSealed, e.PreviousSecretUntil = e.SecretSealed, now.Add(secretOverlap)
	if revoke {
		e.PreviousSecretSealed, e.PreviousSecretUntil = nil, time.Time{}
	}
	e.SecretSealed = sealed
	return true
}

// SigningSecrets returns the secrets that sign at a time, sealed, the newest first.
func (e *Endpoint) SigningSecrets(at time.Time) [][]byte {
	if at.Before(e.PreviousSecretUntil) {
		return [][]byte{e.SecretSealed, e.PreviousSecretSealed}
	}
	return [][]byte{e.SecretSealed}
}

package flutterwave

import (
	"strings"

	"github.com/google/uuid"

	"perennial/billing/fault"
)

// wireKey is the key as Flutterwave takes it: letters and digits only, 12 to 255 of them as an idempotency key, 6 to 42
// as a reference. The 32 hexadecimal digits of our keys, which are UUIDs, are both.
func wireKey(key string) (string, error) {
	id, err := uuid.Parse(key)
	if err != nil || len(key) != 36 {
		return "", fault.New(fault.Invalid, "provider_request_invalid",
			"The idempotency key must be a UUID of 36 characters.")
	}
	return strings.ReplaceAll(id.String(), "-", ""), nil
}

// ourKey is the key of the send that a reference belongs to; empty where it is none of ours.
func ourKey(reference string) string {
	id, err := uuid.Parse(reference)
	if err != nil || len(reference) != 32 {
		return ""
	}
	return id.String()
}

// traceID names one exchange in Flutterwave's logs; it has the form of a key.
func traceID() string { return strings.ReplaceAll(uuid.NewString(), "-", "") }

// checkIdentity refuses to move money that could not be found or recognised again.
func checkIdentity(transactionID string) error {
	if transactionID == "" || len(transactionID) > 200 {
		return fault.New(fault.Invalid, "provider_request_invalid", "The transaction ID must have 1 to 200 characters.")
	}
	return nil
}

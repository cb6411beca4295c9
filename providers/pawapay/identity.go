package pawapay

import (
	"github.com/google/uuid"

	"perennial/billing/fault"
)

// Our keys are UUIDs of version 5, and pawaPay asks for version 4, in which every bit but the version is free. Whether
// it checks is not documented, so the version is changed on the way out and changed back on the way in.
const (
	versionAt   = 14 // the digit in a UUID's text
	ours        = '5'
	theirs      = '4'
	longestName = 255 // of a reference; pawaPay documents no limit for clientReferenceId
)

// operationID makes a depositId or refundId of our key, and refuses to move money that could not be found or recognised
// again.
func operationID(transactionID, key string) (string, error) {
	if transactionID == "" || len(transactionID) > longestName {
		return "", fault.New(fault.Invalid, "provider_request_invalid",
			"The transaction ID must have 1 to %d characters.", longestName)
	}
	id, ok := toOperationID(key)
	if !ok {
		return "", fault.New(fault.Invalid, "provider_request_invalid", "The idempotency key must be a UUIDv5.")
	}
	return id, nil
}

func toOperationID(key string) (string, bool) {
	if parsed, err := uuid.Parse(key); err != nil || parsed.String() != key || key[versionAt] != ours {
		return "", false
	}
	return key[:versionAt] + string(theirs) + key[versionAt+1:], true
}

// fromOperationID is our key in an operation's ID; empty for an ID that no key of ours became.
func fromOperationID(id string) string {
	if parsed, err := uuid.Parse(id); err != nil || parsed.String() != id || id[versionAt] != theirs {
		return ""
	}
	return id[:versionAt] + string(ours) + id[versionAt+1:]
}

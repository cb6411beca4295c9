package adyen

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"perennial/billing/fault"
)

// operation is the letter in a reference that says what it names: a webhook has nothing else of ours, and Adyen quotes
// a payment's reference in webhooks about a person's changes.
type operation string

const (
	opCharge     operation = "c" // the only payment of a charge, or the one that asks the payer
	opUnattended operation = "u" // a payment in the payer's absence, which another one may follow that asks the payer
	opRefund     operation = "r"
	opCancel     operation = "x" // of a charge, on request
	opReversal   operation = "p" // of a partial authorisation, which is unwanted
)

// reference is `<transaction>-<operation><tag of the key>`, at most 74 of the 80 characters that Adyen takes. The tag
// makes two sends of a transaction two payments.
type reference struct {
	transactionID string
	op            operation
	tag           string
}

const tagLength = 12

// transactionID has no colon, which separates the fields that a webhook's signature covers, and no hyphen.
var transactionID = regexp.MustCompile(`^[A-Za-z0-9_]{1,60}$`)

var ownReference = regexp.MustCompile(`^([A-Za-z0-9_]{1,60})-([cruxp])([0-9a-f]{12})$`)

func newReference(transactionID string, op operation, key string) reference {
	sum := sha256.Sum256([]byte(key))
	return reference{transactionID: transactionID, op: op, tag: hex.EncodeToString(sum[:])[:tagLength]}
}

func (r reference) String() string { return r.transactionID + "-" + string(r.op) + r.tag }

// parseReference reports false for a reference that is not of our making: another program may use the same account.
func parseReference(s string) (reference, bool) {
	m := ownReference.FindStringSubmatch(s)
	if m == nil {
		return reference{}, false
	}
	return reference{transactionID: m[1], op: operation(m[2]), tag: m[3]}, true
}

// derivedKey is the idempotency key of a request that follows another one, whose key is key: the same one each time.
func derivedKey(what, key string) string {
	sum := sha256.Sum256([]byte(what + " of " + key))
	return hex.EncodeToString(sum[:])[:36]
}

// maxKey is Adyen's limit of an idempotency key.
const maxKey = 64

// checkIdentity refuses to move money that could not be recognised again.
func checkIdentity(id, key string) error {
	if !transactionID.MatchString(id) {
		return fault.New(fault.Invalid, "provider_request_invalid",
			"The transaction ID must have 1 to 60 letters, digits and underscores.")
	}
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fault.New(fault.Invalid, "provider_request_invalid",
			"The idempotency key must have 1 to %d printable characters.", maxKey)
	}
	return nil
}

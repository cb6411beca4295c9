package movefile

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

// The hash of a record is stored: a record that a later build hashes otherwise would count as changed.
func TestHash_OfARecordStays(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		subscriptionLine: "2ec9105f63498257",
		`{"type":"customer","id":"c-1","perennialId":"cust_x","email":"a@example.com","taxExempt":"none","taxIds":[{"type":"us_ein",` +
			`"value":"12-3456789"}],"paymentMethod":"card","paymentDetails":{"provider":"stripe","customerToken":"cus_1"},` +
			`"metadata":{"b":1,"a":"x"},"createdAt":1793437200}`: "d3bad8544576da23",
		`{"type":"balance","customer":"c-1","currency":"EUR","amount":-5}`: "a25127dd634f02fe",
		`{"type":"subscription","id":"s-2","customer":"c-1","plan":"Pro","status":"paused","addOns":[{"plan":"Backup","quantity":2}],` +
			`"pendingAddOns":[],"collectionMethod":"send_invoice","netDays":14,"pausedAt":1793437200,"pauseReason":"requested"}`: "9acfcb0b5c32d36a",
		// An empty value that was sent differs from one that was not sent.
		`{"type":"customer","id":"c-2","email":"a@example.com","paymentDetails":{},"createdAt":"0001-01-01T00:00:00Z"}`: "b3e96a4d76933117",
		`{"type":"subscription","id":"s-3","customer":"c-1","plan":"Pro","status":"active","currentPeriodStart":1793437200,` +
			`"currentPeriodEnd":1796029200,"trialEndsAt":"0001-01-01T00:00:00Z","resumesAt":null}`: "e54204fbebaba775",
	} {
		r := parse([]byte(line))
		require.NoError(t, r.Refused)
		require.Equal(t, want, hex.EncodeToString(r.Hash[:8]), line)
	}
}

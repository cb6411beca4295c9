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
	} {
		r := parse([]byte(line))
		require.NoError(t, r.Refused)
		require.Equal(t, want, hex.EncodeToString(r.Hash[:8]), line)
	}
}

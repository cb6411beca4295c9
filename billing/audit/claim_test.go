package audit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/audit"
)

func TestEncode_ClaimBeforeChanges(t *testing.T) {
	t.Parallel()
	changes := []audit.Change{{Field: "active", Before: json.RawMessage("true"),
		After: json.RawMessage("false")}, {Field: "name"}}
	for want, said := range map[string]audit.Claim{
		`[{"field":"active","before":true,"after":false},{"field":"name"}]`:                       {},
		`[{"claim":"user 4711"},{"field":"active","before":true,"after":false},{"field":"name"}]`: {For: "user 4711"},
		`[{"claim":"ada","reason":"ticket 5"},{"field":"active","before":true,"after":false},{"field":"name"}]`: {For: "ada",
			Reason: "ticket 5"},
	} {
		encoded, err := audit.Encode(changes, said)
		require.NoError(t, err)
		require.Equal(t, want, string(encoded))
		gotChanges, gotSaid := audit.Decode(encoded)
		require.Equal(t, changes, gotChanges)
		require.Equal(t, said, gotSaid)
	}
	encoded, err := audit.Encode(nil, audit.Claim{})
	require.NoError(t, err)
	require.Equal(t, "[]", string(encoded), "as builds from before wrote it")
}

func TestClaimable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "user 4711": true, "Zoë": true, strings.Repeat("é", audit.MaxClaim): true, "a\nb": false, "a\x00": false,
		"\xff": false, "\u202eeve": false, "\u200b": false, strings.Repeat("x", audit.MaxClaim+1): false,
	} {
		require.Equal(t, want, audit.Claimable(text), "%q", text)
	}
}

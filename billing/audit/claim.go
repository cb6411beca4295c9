package audit

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxClaim is the most characters of a claim or a reason.
const MaxClaim = 200

// Claim is what an actor says beside what is known of it: for whom it acts, and why. Nothing checks it.
type Claim struct {
	For    string `json:"claim,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Claimable reports whether a text can be a claim or a reason: one short line that shows all that it holds.
func Claimable(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= MaxClaim &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Encode returns the JSON of what an entry says of its changes, with the claim before them, where there is one. The
// claim stands here because a build from before there were claims hashes these bytes too: the chain covers the claim
// whichever build seals the entry.
func Encode(changes []Change, said Claim) ([]byte, error) {
	all := make([]any, 0, len(changes)+1)
	if said != (Claim{}) {
		all = append(all, said)
	}
	for _, c := range changes {
		all = append(all, c)
	}
	return json.Marshal(all)
}

// Decode reads what Encode wrote. What it cannot read is left out.
func Decode(encoded []byte) (changes []Change, said Claim) {
	var all []json.RawMessage
	_ = json.Unmarshal(encoded, &all) // what was written by Encode can be read
	for i, raw := range all {
		var c Change
		_ = json.Unmarshal(raw, &c) // as above
		if i == 0 && c.Field == "" {
			_ = json.Unmarshal(raw, &said) // as above
			continue
		}
		changes = append(changes, c)
	}
	return changes, said
}

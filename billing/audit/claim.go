package audit

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxClaim is the most characters of a claim or a reason.
const MaxClaim = 200

// Claim is an actor's own statement: for whom it acts, and why. It is not checked.
type Claim struct {
	For    string `json:"claim,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Claimable reports whether a text can be a claim or a reason: one short line that shows all that it holds.
func Claimable(text string) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= MaxClaim &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// Encode returns an entry's changes as JSON, preceded by the claim, if any. The claim is among the changes because
// builds from before there were claims hash these bytes too: the chain covers the claim whichever build seals the
// entry.
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

// Decode reads the output of Encode. It leaves out what it cannot read.
func Decode(encoded []byte) (changes []Change, said Claim) {
	var all []json.RawMessage
	_ = json.Unmarshal(encoded, &all) // output of Encode can be read
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

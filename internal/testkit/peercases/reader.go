package peercases

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Reader is what a test makes of the cases of one kind. Its input type names every field that it takes into account.
// A field that it ignored would change what the case means, and an answer that fits would prove nothing: so Suite
// leaves out a case whose input has another field.
type Reader struct {
	unknownField func(Case) (name string)
	check        func(*testing.T, Case)
}

// NewReader returns a reader of cases with the input I. Of the expected result, a case may hold less than E, because
// the sources do not assert everything, and more.
func NewReader[I, E any](check func(t *testing.T, in I, want E)) Reader {
	return NewCaseReader(func(t *testing.T, _ Case, in I, want E) { check(t, in, want) })
}

// NewCaseReader is NewReader for a check that depends on the kind or the flags of the case too.
func NewCaseReader[I, E any](check func(t *testing.T, c Case, in I, want E)) Reader {
	return Reader{
		unknownField: func(c Case) string {
			var in I
			decoder := json.NewDecoder(bytes.NewReader(c.Input))
			decoder.DisallowUnknownFields()
			return unknownFieldOf(decoder.Decode(&in))
		},
		check: func(t *testing.T, c Case) {
			var in I
			var want E
			c.decode(t, c.Input, &in)
			c.decode(t, c.Expected, &want)
			check(t, c, in, want)
		},
	}
}

// unknownFieldOf returns the field that a strict decoder refused. encoding/json has no type for this error;
// TestReader_UnknownField fails if its text changes. Other errors are left to the check, which fails on them.
func unknownFieldOf(err error) string {
	if err == nil {
		return ""
	}
	name, _ := strings.CutPrefix(err.Error(), "json: unknown field ")
	if name == err.Error() {
		return ""
	}
	return strings.Trim(name, `"`)
}

func (c Case) decode(t *testing.T, raw json.RawMessage, target any) {
	t.Helper()
	if err := json.Unmarshal(raw, target); err != nil {
		t.Fatalf("case %s does not have the fields of kind %s: %v", c.ID, c.Kind, err)
	}
}

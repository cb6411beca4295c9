package peercases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Reader checks the cases of one kind. Its types name every field that it takes into account. An input field that it
// ignored would change what the case means, and an answer that fits would prove nothing; an expected field that it
// ignored would count as checked. So Suite fails on a case that has another field.
type Reader struct {
	unknownField func(Case) (which string)
	check        func(*testing.T, Case)
}

// NewReader returns a reader of cases with the input I. Of the expected result, a case may hold less than E, because
// the sources do not assert everything.
func NewReader[I, E any](check func(t *testing.T, in I, want E)) Reader {
	return NewCaseReader(func(t *testing.T, _ Case, in I, want E) { check(t, in, want) })
}

// NewCaseReader is NewReader for a check that depends on the kind or the flags of the case too.
func NewCaseReader[I, E any](check func(t *testing.T, c Case, in I, want E)) Reader {
	return Reader{
		unknownField: func(c Case) string {
			if name := unknownIn[I](c.Input); name != "" {
				return fmt.Sprintf("input field %q", name)
			}
			if name := unknownIn[E](c.Expected); name != "" {
				return fmt.Sprintf("expected field %q", name)
			}
			return ""
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

// unknownIn returns a field of the JSON that T does not have.
func unknownIn[T any](raw json.RawMessage) string {
	var value T
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return unknownFieldOf(decoder.Decode(&value))
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

// Package peercases runs the rules against expected results that did not come from our own code: a few facts of the
// calendar and of arithmetic in testdata, written by hand, and a folder of cases taken from the test suites of other
// billing systems where it is present. It owns finding, choosing and counting cases; what a kind of case means is
// decided by the test that checks it.
package peercases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Case is one question and its answer. Kind fixes the fields of Input and Expected, Rule names the arithmetic behind
// it.
type Case struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Kind     string          `json:"kind"`
	Rule     string          `json:"rule"`
	Flags    []string        `json:"flags"`
	Input    json.RawMessage `json:"input"`
	Expected json.RawMessage `json:"expected"`
}

// Read decodes input and expected. Numbers keep their digits: a json.Number where the target is an interface.
func (c Case) Read(t testing.TB, input, expected any) {
	t.Helper()
	for _, part := range []struct {
		raw    json.RawMessage
		target any
	}{{c.Input, input}, {c.Expected, expected}} {
		decoder := json.NewDecoder(bytes.NewReader(part.raw))
		decoder.UseNumber()
		if err := decoder.Decode(part.target); err != nil {
			t.Fatalf("case %s does not have the fields of kind %s: %v", c.ID, c.Kind, err)
		}
	}
}

// Has reports whether the case carries a flag.
func (c Case) Has(flag string) bool { return slices.Contains(c.Flags, flag) }

// Exclusion takes cases out of a suite because our rule is another one, and says which. Every field that is set has to
// match; a case is never excluded by name.
type Exclusion struct {
	Rule, Kind, Flag string
	When             func(Case) bool
	Reason           string
}

func (e Exclusion) covers(c Case) bool {
	return (e.Rule == "" || e.Rule == c.Rule) &&
		(e.Kind == "" || e.Kind == c.Kind) &&
		(e.Flag == "" || c.Has(e.Flag)) &&
		(e.When == nil || e.When(c))
}

// Suite says how the cases of one category are checked.
type Suite struct {
	Category string
	Checks   map[string]func(*testing.T, Case) // by kind
	Excluded []Exclusion                       // the first that covers a case decides
}

// Run checks every case that is not excluded, logs how many ran per rule and how many were left out and why, and fails
// where a case is neither checked nor excluded, or where nothing ran.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	for _, source := range load(t, s.Category) {
		chosen := s.choose(source.cases)
		ran := tally{}
		for _, c := range chosen.checked {
			ran[c.Rule]++
			t.Run(c.ID, func(t *testing.T) { s.Checks[c.Kind](t, c) })
		}
		for _, c := range chosen.unknown {
			t.Errorf("case %s: kind %s of rule %s is neither checked nor excluded", c.ID, c.Kind, c.Rule)
		}
		t.Logf("%s, %s: %d cases ran%s", s.Category, source.name, ran.total(), ran)
		t.Logf("%s, %s: %d cases left out%s", s.Category, source.name, chosen.excluded.total(), chosen.excluded)
		if ran.total() == 0 {
			t.Errorf("no case of %s ran from %s", s.Category, source.name)
		}
	}
}

// choice is what becomes of the cases of one source.
type choice struct {
	checked  []Case
	unknown  []Case // neither checked nor excluded: somebody has to decide
	excluded tally  // by rule, kind and reason
}

func (s Suite) choose(cases []Case) choice {
	result := choice{excluded: tally{}}
	for _, c := range cases {
		if i := slices.IndexFunc(s.Excluded, func(e Exclusion) bool { return e.covers(c) }); i >= 0 {
			result.excluded[c.Rule+"/"+c.Kind+": "+s.Excluded[i].Reason]++
		} else if s.Checks[c.Kind] != nil {
			result.checked = append(result.checked, c)
		} else {
			result.unknown = append(result.unknown, c)
		}
	}
	return result
}

type tally map[string]int

func (y tally) total() int {
	sum := 0
	for _, n := range y {
		sum += n
	}
	return sum
}

func (y tally) String() string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(y)) {
		fmt.Fprintf(&text, "\n%6d %s", y[name], name)
	}
	return text.String()
}

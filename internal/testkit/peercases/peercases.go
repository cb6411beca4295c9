// Package peercases runs the rules against expected results that did not come from our own code: a few facts of the
// calendar and of arithmetic in testdata, written by hand, and a folder of cases taken from the test suites of other
// billing systems where it is present. It owns finding, choosing and counting cases; the test that checks a kind of
// case decides its meaning.
package peercases

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Case is one question and its answer. Kind fixes the fields of Input and Expected,
// Rule names the arithmetic behind it.
type Case struct {
	ID       string          `json:"id"`
	Peer     string          `json:"peer"` // the system that the case comes from
	Category string          `json:"category"`
	Kind     string          `json:"kind"`
	Rule     string          `json:"rule"`
	Flags    []string        `json:"flags"`
	Input    json.RawMessage `json:"input"`
	Expected json.RawMessage `json:"expected"`
}

// Has reports whether the case carries a flag.
func (c Case) Has(flag string) bool { return slices.Contains(c.Flags, flag) }

// Exclusion excludes cases from a suite because our rule differs, and says how. Every field that is set has to match; a
// case is never excluded by name.
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
	Readers  map[string]Reader // by kind, or by "rule/kind" where the fields of the kind depend on the rule
	Excluded []Exclusion       // the first that covers a case decides
	// Unreachable cases are checked too, but do not count: they run code that no call of the API can reach.
	Unreachable []Exclusion
	// Part: another suite checks the rest of the category, and a source may have no case of this one.
	Part bool
}

// Run checks every case that is not left out, logs how many ran and passed per rule and how many were left out and why,
// and fails where a case is neither checked nor left out, has a field that its reader does not know, or where nothing
// ran.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	for _, source := range load(t, s.Category) {
		chosen := s.choose(source.cases)
		ran, beside, passed := tally{}, tally{}, 0
		for _, c := range chosen.checked {
			right := t.Run(c.ID, func(t *testing.T) { s.reader(c).check(t, c) })
			if reason := s.unreachable(c); reason != "" {
				beside[c.Rule+"/"+c.Kind+": "+reason]++
				continue
			}
			if ran[c.Rule]++; right {
				passed++
			}
		}
		for _, u := range chosen.unknown {
			t.Errorf("case %s: kind %s of rule %s %s: read it, or exclude it with a reason", u.ID, u.Kind, u.Rule, u.why)
		}
		t.Logf("%s, %s: %d cases ran, %d passed%s", s.Category, source.name, ran.total(), passed, ran)
		t.Logf("%s, %s: %d more ran, but do not count%s", s.Category, source.name, beside.total(), beside)
		t.Logf("%s, %s: %d cases left out%s", s.Category, source.name, chosen.leftOut.total(), chosen.leftOut)
		if ran.total() == 0 && !s.Part {
			t.Errorf("no case of %s ran from %s", s.Category, source.name)
		}
	}
}

// choice has the cases of one source by their treatment.
type choice struct {
	checked []Case
	unknown []unknown // neither checked nor excluded: an engineer has to decide
	leftOut tally     // by rule, kind and reason
}

// unknown is a case that nothing can read.
type unknown struct {
	Case
	why string
}

// unreachable returns why a case does not count; empty: it does.
func (s Suite) unreachable(c Case) string {
	for _, e := range s.Unreachable {
		if e.covers(c) {
			return e.Reason
		}
	}
	return ""
}

func (s Suite) choose(cases []Case) choice {
	result := choice{leftOut: tally{}}
	for _, c := range cases {
		i := slices.IndexFunc(s.Excluded, func(e Exclusion) bool { return e.covers(c) })
		reader := s.reader(c)
		switch {
		case i >= 0:
			result.leftOut[c.Rule+"/"+c.Kind+": "+s.Excluded[i].Reason]++
		case reader.check == nil:
			result.unknown = append(result.unknown, unknown{c, "is neither checked nor excluded"})
		default:
			if field := reader.unknownField(c); field != "" {
				result.unknown = append(result.unknown, unknown{c, "has the unknown " + field})
				continue
			}
			result.checked = append(result.checked, c)
		}
	}
	return result
}

func (s Suite) reader(c Case) Reader {
	if reader, ok := s.Readers[c.Rule+"/"+c.Kind]; ok {
		return reader
	}
	return s.Readers[c.Kind]
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

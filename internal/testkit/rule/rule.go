// Package rule marks the failures of rules in what tests print: the run of all tests repeats no such failure (ADR 69).
package rule

import "testing"

// Broken is printed by a failed test where a rule was broken that holds on every machine, however slow.
const Broken = "rule broken:"

// Mark marks the failures between its call and the call of the returned function.
//
//	defer rule.Mark(t)()
func Mark(t testing.TB) func() {
	before := t.Failed()
	return func() {
		if t.Failed() && !before {
			t.Log(Broken, "see above")
		}
	}
}

// Holds marks the failures of check, in the midst of a test.
func Holds(t testing.TB, check func()) {
	t.Helper()
	defer Mark(t)()
	check()
}

// Watch marks the failure of the test, whatever it was that failed, if a rule is found broken when the test has ended:
// found says which, or nothing. A test that breaks it on purpose, and passes, is not marked.
func Watch(t testing.TB, found func() string) {
	t.Helper()
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		if which := found(); which != "" {
			t.Log(Broken, which)
		}
	})
}

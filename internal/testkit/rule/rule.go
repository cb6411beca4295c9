// Package rule marks the failures of rules in what tests print: the run of all tests repeats no such failure (ADR 69).
package rule

import "testing"

// Broken is what a failed test prints where a rule did not hold that holds on every machine, however slow.
const Broken = "rule broken:"

// Mark marks the failures between its call and the call of what it returns.
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

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"perennial/internal/testkit"
	"perennial/internal/testkit/rule"
)

// repeat runs the failed tests of packages with servers once more, alone.
func (r *run) repeat(ctx context.Context) {
	failures := 0
	for _, res := range r.ended {
		failures += len(res.failed)
	}
	if failures == 0 || failures > repeatAtMost {
		return
	}
	for _, res := range r.ended {
		if !res.repeatable() {
			continue
		}
		bySeed := res.bySeed()
		for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
			tests := bySeed[seed]
			r.mu.Lock()
			r.line("%s: %s failed beside others; once more, alone", short(res.pkg), strings.Join(tests, ", "))
			r.mu.Unlock()
			again := r.part(ctx, res.part.again(res.pkg, tests, seed), true)
			if len(again) != 1 || !again[0].ok() || again[0].passed < len(tests) {
				continue
			}
			for _, test := range tests {
				r.repeated = append(r.repeated, short(res.pkg)+"."+test)
			}
			res.passed += len(tests)
			res.failed = slices.DeleteFunc(res.failed, func(test string) bool { return slices.Contains(tests, test) })
		}
	}
}

// seeded matches testkit.Seed's line about a random seed. A given seed is also given to the repeat.
var seeded = regexp.MustCompile(`seed (\d+); replay with ` + testkit.EnvSeed)

// bySeed are the failed tests by the seed that they printed, or by none: another seed would be another test. A test
// that printed several is not in it, since it cannot be given them again.
func (r *result) bySeed() map[string][]string {
	tests := map[string][]string{}
	for _, test := range r.failed {
		var seeds []string
		for _, match := range seeded.FindAllStringSubmatch(r.output[test].String(), -1) {
			seeds = append(seeds, match[1])
		}
		slices.Sort(seeds)
		switch seeds = slices.Compact(seeds); len(seeds) {
		case 0:
			tests[""] = append(tests[""], test)
		case 1:
			tests[seeds[0]] = append(tests[seeds[0]], test)
		}
	}
	return tests
}

// repeatable leaves out failures that a slow machine cannot cause: a broken rule, a data race, a process that died with
// tests that had not run, and failures of tests without a server.
func (r *result) repeatable() bool {
	return len(r.failed) > 0 && !r.broken && !r.raced && servers.MatchString(r.pkg) &&
		!strings.Contains(r.text(), rule.Broken)
}

// summary prints the end of the report and returns whether everything passed. Its last line is for machines.
func (r *run) summary(ctx context.Context) bool {
	var passed, failed, skipped int
	ok := ctx.Err() == nil
	for _, res := range r.ended {
		passed, skipped, failed = passed+res.passed, skipped+res.skipped, failed+len(res.failed)
		if res.broken && len(res.failed) == 0 {
			failed++
		}
		if !res.ok() {
			ok = false
			r.line("FAIL %s: %s%s", short(res.pkg), strings.Join(res.failed, ", "), res.rest())
		}
	}
	for _, test := range r.repeated {
		r.line("REPEATED %s: it failed beside others, as shown above, and passed alone", test)
	}
	r.line("%d of the tests had to be repeated alone", len(r.repeated))
	_, _ = fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if ctx.Err() != nil {
		_, _ = io.WriteString(r.out, "test: interrupted\n")
	}
	return ok && failed == 0
}

// rest returns the information about the other tests that a reader of the failed ones needs.
func (r *result) rest() string {
	if r.broken && len(r.failed) > 0 {
		return " (it died then: tests after that did not run)"
	}
	return ""
}

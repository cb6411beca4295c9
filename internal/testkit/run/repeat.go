package main

import (
	"context"
	"fmt"
	"io"
	"strings"

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
		r.mu.Lock()
		r.line("%s: %s failed beside others; once more, alone", short(res.pkg), strings.Join(res.failed, ", "))
		r.mu.Unlock()
		again := r.part(ctx, res.part.again(res.pkg, res.failed), true)
		if len(again) == 1 && again[0].ok() && again[0].passed >= len(res.failed) {
			for _, test := range res.failed {
				r.repeated = append(r.repeated, short(res.pkg)+"."+test)
			}
			res.passed += len(res.failed)
			res.failed = nil
		}
	}
}

// repeatable leaves out what no machine is slow enough to excuse: a broken rule, and whatever needs no server.
func (r *result) repeatable() bool {
	return len(r.failed) > 0 && !r.broken && servers.MatchString(r.pkg) && !strings.Contains(r.text(), rule.Broken)
}

// summary closes the report and says whether everything passed. Its last line is the one that machines read.
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
			r.line("FAIL %s: %s", short(res.pkg), strings.Join(res.failed, ", "))
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

// Package retry owns when a failed payment is tried again. It does not own the effect of a failure on a subscription
// (that is collection), nor the retries of webhooks or of broken infrastructure.
package retry

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"time"

	"perennial/billing/fault"
	"perennial/billing/period"
)

// Policy is the schedule of automatic payment retries: after the first attempt Retries more, each later than the one
// before it by Base, Base×Factor, Base×Factor², ... of elapsed time, or by the next of Gaps, plus a jitter that spreads
// a crowd of failures. Rules change it for single failure codes.
type Policy struct {
	Base      time.Duration
	Factor    int
	Retries   int
	Gaps      []time.Duration // in place of Base and Factor where not empty: one for each of Retries
	MaxJitter time.Duration
	Rules     []Rule
}

// Rule is the effect of a failure code on the schedule: no retry at all, or a wait for a day of the month.
type Rule struct {
	Code       string // a failure code of payments
	Never      bool   // such a failure ends the schedule
	DayOfMonth int    // 1 to 31, or the last of a shorter month: the retry waits for this local date; 0: it does not wait
}

// Failure is an attempt that failed, as far as its retry depends on it.
type Failure struct {
	Code     string
	At       time.Time      // in the subscription's own time
	Location *time.Location // where days of the month are counted; nil: UTC
	Boundary time.Time      // the end of the current period; zero: none
}

// Limits of a policy. With the largest of each the sum of gaps is cut by maxTotal first.
const (
	maxBase    = 30 * 24 * time.Hour
	maxFactor  = 10
	MaxRetries = 10 // beside the first attempt
	maxJitter  = time.Hour
	maxTotal   = 366 * 24 * time.Hour
)

// List is a policy with these gaps.
func List(gaps ...time.Duration) Policy {
	p := Default()
	p.Retries, p.Gaps = len(gaps), gaps
	return p
}

// Default is the first attempt and three retries, one, two and four days apart.
func Default() Policy {
	return Policy{Base: 24 * time.Hour, Factor: 2, Retries: 3, MaxJitter: time.Hour}
}

// Validate returns `retry_policy_invalid` with the field at fault.
func (p Policy) Validate() error {
	switch {
	case p.Base < time.Minute || p.Base > maxBase || p.Base%time.Second != 0:
		return invalid("base", "The first gap must be one minute to 30 days, in whole seconds.")
	case p.Factor < 1 || p.Factor > maxFactor:
		return invalid("factor", "The factor between gaps must be 1 to %d.", maxFactor)
	case p.Retries < 0 || p.Retries > MaxRetries:
		return invalid("retries", "The number of retries must be 0 to %d.", MaxRetries)
	case p.MaxJitter < 0 || p.MaxJitter > maxJitter || p.MaxJitter%time.Second != 0:
		return invalid("maxJitter", "The jitter must be at most one hour, in whole seconds.")
	case len(p.Gaps) > 0 && len(p.Gaps) != p.Retries:
		return invalid("gaps", "There must be one gap for each of the %d retries.", p.Retries)
	case slices.ContainsFunc(p.Gaps, impossible):
		return invalid("gaps", "Each gap must be one minute to one year, in whole seconds.")
	}
	if err := checkRules(p.Rules); err != nil {
		return err
	}
	var total time.Duration
	for retry := 1; retry <= p.Retries; retry++ {
		if total += p.Gap(retry); total > maxTotal {
			return invalid(p.schedule(),
				"The last retry is more than one year after the first attempt. Send smaller gaps, or fewer retries.")
		}
	}
	return nil
}

// schedule names the field that says how many retries there are.
func (p Policy) schedule() string {
	if len(p.Gaps) > 0 {
		return "gaps"
	}
	return "retries"
}

func impossible(gap time.Duration) bool {
	return gap < time.Minute || gap > maxTotal || gap%time.Second != 0
}

func checkRules(rules []Rule) error {
	for i, r := range rules {
		switch {
		case r.DayOfMonth < 0 || r.DayOfMonth > 31:
			return invalid("rules", "The day of the month for %s must be 1 to 31.", r.Code)
		case r.Never == (r.DayOfMonth > 0):
			return invalid("rules", "The rule for %s must either switch retries off or name a day of the month.", r.Code)
		case slices.ContainsFunc(rules[:i], func(other Rule) bool { return other.Code == r.Code }):
			return invalid("rules", "There are two rules for %s. Send one.", r.Code)
		}
	}
	return nil
}

// Gap is the time between attempt number `retry` and the retry of that number (the attempt after it). Retries count
// from 1 to Retries; any other number has no gap and answers 0. A gap never exceeds a year.
func (p Policy) Gap(retry int) time.Duration {
	if retry < 1 || retry > p.Retries {
		return 0
	}
	if retry <= len(p.Gaps) {
		return min(p.Gaps[retry-1], maxTotal)
	}
	gap := p.Base
	for range retry - 1 {
		if gap > maxTotal/time.Duration(max(p.Factor, 1)) {
			return maxTotal
		}
		gap *= time.Duration(p.Factor)
	}
	return min(gap, maxTotal)
}

// Allows reports whether there is a retry of that number after a failure.
func (p Policy) Allows(retry int, code string) bool {
	return retry >= 1 && retry <= p.Retries && !p.rule(code).Never
}

// At returns when the retry of that number is due after the attempt before it failed. The jitter is a pure hash of seed
// and retry, so that a replay finds the same time; no seed means no jitter, which test clocks use to stay exact.
//
// Jitter alone never moves a retry to or over the failure's Boundary: it spreads over the remaining time. A gap, or a
// day of the month, that reaches the boundary alone is kept.
func (p Policy) At(f Failure, retry int, seed string) time.Time {
	due := f.At.Add(p.Gap(retry))
	if day := p.rule(f.Code).DayOfMonth; day > 0 {
		due = period.NextDayOfMonth(due, f.Location, day)
	}
	spread := p.MaxJitter
	if !f.Boundary.IsZero() && due.Before(f.Boundary) {
		spread = min(spread, f.Boundary.Sub(due)-1)
	}
	return due.Add(jitter(seed, retry, spread))
}

func (p Policy) rule(code string) Rule {
	if i := slices.IndexFunc(p.Rules, func(r Rule) bool { return r.Code == code }); i >= 0 {
		return p.Rules[i]
	}
	return Rule{}
}

// jitter picks whole seconds in [0, spread].
func jitter(seed string, retry int, spread time.Duration) time.Duration {
	seconds := uint64(max(spread, 0) / time.Second)
	if seed == "" || seconds == 0 {
		return 0
	}
	sum := sha256.Sum256([]byte(seed + "/" + strconv.Itoa(retry)))
	return time.Duration(binary.BigEndian.Uint64(sum[:8])%(seconds+1)) * time.Second
}

func invalid(param, detail string, args ...any) error {
	return fault.InvalidParam(param, "retry_policy_invalid", detail, args...)
}

// Package retry owns when a failed payment is tried again. It does not own what a failure means for a subscription
// (that is collection), nor the retries of webhooks or of broken infrastructure.
package retry

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"

	"perennial/billing/fault"
)

// Policy is the schedule of automatic payment retries: after the first attempt Retries more, each later than the one
// before it by Base, Base×Factor, Base×Factor², ... of elapsed time, plus a jitter that spreads a crowd of failures.
type Policy struct {
	Base      time.Duration
	Factor    int
	Retries   int
	MaxJitter time.Duration
}

// Limits of a policy. With the largest of each the sum of gaps is cut by maxTotal first.
const (
	maxBase    = 30 * 24 * time.Hour
	maxFactor  = 10
	maxRetries = 10
	maxJitter  = time.Hour
	maxTotal   = 366 * 24 * time.Hour
)

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
	case p.Retries < 0 || p.Retries > maxRetries:
		return invalid("retries", "The number of retries must be 0 to %d.", maxRetries)
	case p.MaxJitter < 0 || p.MaxJitter > maxJitter || p.MaxJitter%time.Second != 0:
		return invalid("maxJitter", "The jitter must be at most one hour, in whole seconds.")
	}
	var total time.Duration
	for retry := 1; retry <= p.Retries; retry++ {
		if total += p.Gap(retry); total > maxTotal {
			return invalid("retries",
				"The last retry is more than one year after the first attempt. Lower the base, the factor or the retries.")
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
	gap := p.Base
	for range retry - 1 {
		if gap > maxTotal/time.Duration(max(p.Factor, 1)) {
			return maxTotal
		}
		gap *= time.Duration(p.Factor)
	}
	return min(gap, maxTotal)
}

// At is when the retry of that number is due after the attempt before it failed. The jitter is a pure hash of seed and
// retry, so that a replay finds the same time; no seed means none, which test clocks use to stay exact.
//
// Jitter alone never moves a retry to or over `boundary`, the end of the current period (zero: none): it spreads over
// what room is left. A gap that reaches the boundary by itself is kept.
func (p Policy) At(failedAt time.Time, retry int, seed string, boundary time.Time) time.Time {
	due := failedAt.Add(p.Gap(retry))
	spread := p.MaxJitter
	if !boundary.IsZero() && due.Before(boundary) {
		spread = min(spread, boundary.Sub(due)-1)
	}
	return due.Add(jitter(seed, retry, spread))
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

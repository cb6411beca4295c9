package delivery

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strconv"
	"time"
)

// Policy has the number of retries of a delivery and the pauses before them.
type Policy struct {
	// Gaps are the pauses before each retry, counted from the end of the attempt before: one retry for each.
	Gaps []time.Duration
	// SpreadPercent is the part of a pause by which it may be shorter or longer, 0 to 100, so that deliveries that
	// failed together do not return together.
	SpreadPercent int
}

// SpreadPercent is the spread of both policies.
const SpreadPercent = 20

// The policies of the two modes of an environment.
// Only three retries are promised, so those of live ones lie far apart.
var (
	LivePolicy = Policy{[]time.Duration{time.Minute, 10 * time.Minute, 2 * time.Hour}, SpreadPercent}
	TestPolicy = Policy{[]time.Duration{5 * time.Second, 20 * time.Second, time.Minute}, SpreadPercent}
)

const (
	// mostAsked is the number of pauses by which a receiver can defer a retry with Retry-After.
	mostAsked = 2
	// manyUnknown is the number of attempts of a delivery that crashes leave open before each further one waits for the
	// longest gap: a delivery that makes every worker crash must leave the others time. None of them is a retry.
	manyUnknown = 10
)

// State is the state of a delivery before an attempt ends.
type State struct {
	ID       string
	Attempts int // automatic ones that ended
	Unknown  int // left open by crashes
	// Redelivery: the attempt was asked for by a person.
	Redelivery bool
	// Delivered: an attempt succeeded before, so that a redelivery that fails takes nothing away.
	Delivered bool
}

// End is the end of an attempt.
type End struct {
	Outcome    Outcome
	At         time.Time
	RetryAfter time.Duration // of the receiver's answer; 0: none
	// Gone: the receiver said that it wants no more deliveries, of any event.
	Gone bool
}

// Next is the state of the delivery after an attempt.
type Next struct {
	Status   Status
	Attempts int
	Unknown  int
	At       time.Time    // of the next attempt; zero: there is none
	Reason   FailedReason // empty: not failed
	// Redelivery: a person's request for an attempt is still open.
	Redelivery bool
}

// Next decides the consequences of an attempt. An attempt that a crash left open consumes no retry, however many there
// are. A redelivery consumes no retry, unless it was the very first attempt.
func (p Policy) Next(s State, e End) Next {
	n := Next{Status: Pending, Attempts: s.Attempts, Unknown: s.Unknown}
	if e.Outcome == OutcomeUnknown {
		n.Unknown, n.At, n.Redelivery = n.Unknown+1, e.At, s.Redelivery
		if n.Unknown >= manyUnknown {
			n.At = e.At.Add(slices.Max(p.Gaps))
		}
		return n
	}
	if !s.Redelivery || s.Attempts == 0 {
		n.Attempts++
	}
	switch {
	case e.Outcome == OutcomeSucceeded || s.Delivered:
		n.Status = Succeeded
	case n.Attempts > len(p.Gaps):
		n.Status, n.Reason = Failed, FailedAttemptsUsed
	default:
		n.At = e.At.Add(p.pause(s.ID, n.Attempts, e.RetryAfter))
	}
	return n
}

// pause returns the wait after a number of attempts. It always returns the same for the same delivery.
func (p Policy) pause(id string, attempts int, asked time.Duration) time.Duration {
	gap := p.Gaps[attempts-1]
	spread := gap / 100 * time.Duration(p.SpreadPercent)
	// The spread follows from the delivery and the attempt; it only looks random.
	sum := sha256.Sum256([]byte(id + "/" + strconv.Itoa(attempts)))
	share := time.Duration(binary.BigEndian.Uint64(sum[:]) % uint64(2*spread+1)) //nolint:gosec // below twice the spread
	return max(gap-spread+share, min(asked, mostAsked*gap))
}

// failingLimit is the time for which an endpoint may fail before it is disabled.
const failingLimit = 3 * 24 * time.Hour

// Health returns since when an endpoint fails once an attempt has ended, zero where it does not, and why it must be
// disabled, empty where it need not: the receiver is gone, or no attempt has succeeded for three days, and now one
// delivery has used all of its attempts.
func Health(failingSince time.Time, e End, n Next) (since time.Time, disable DisabledReason) {
	if e.Outcome == OutcomeSucceeded {
		return time.Time{}, ""
	}
	if e.Outcome == OutcomeFailed && failingSince.IsZero() {
		failingSince = e.At
	}
	switch {
	case e.Outcome == OutcomeFailed && e.Gone:
		return failingSince, DisabledGone
	case n.Status == Failed && !failingSince.IsZero() && e.At.Sub(failingSince) >= failingLimit:
		return failingSince, DisabledFailing
	}
	return failingSince, ""
}

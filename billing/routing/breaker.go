package routing

import (
	"slices"
	"time"
)

// Breaker rests an account that does not take payments, so that they go elsewhere at once. It opens after some sends in
// a row that surely were not taken, after silence that lasts, and at once where the credentials are refused. Then one
// payment at a time probes the account, and a real answer closes it. Failures of one payment alone say nothing about
// the account: they open no breaker, and where no other payment is left that probes it, they close one. Beside that it
// knows since when nothing at all was answered, look-ups included, so that the payments which an outage left undecided
// are asked about when it is over. Times are real. The zero value is closed.
type Breaker struct {
	Failures int // in a row
	// FailingSince is the time of the first of them; zero: there is none.
	FailingSince time.Time
	// FailedBy are the payments that the last failures were of, the latest first.
	FailedBy [threshold]string
	OpenedAt time.Time
	ProbeAt  time.Time // while it is open: when the next payment may probe
	// SilentSince is since when no exchange of any kind was answered; zero: the last one was.
	SilentSince time.Time
	// RecoveredAt is the time at which the account answered again after silence; zero again once its payments are
	// woken.
	RecoveredAt time.Time
}

const (
	// threshold is the number of failures in a row that open a breaker: single ones are common. They must be of at
	// least `several` different payments, since a provider may refuse a few payments for ever (429) and take all others.
	threshold = 5
	several   = 3
	// Cooldown is the time between two probes.
	Cooldown = 30 * time.Second
	// Silence is the time for which an account must leave every send unanswered. It is long, because a payment that was
	// sent stays with its provider: while the provider may be only slow, the payments after it gain little by going
	// elsewhere.
	Silence = 10 * time.Minute
	// Outage is the time for which an account must be silent to be probed, and for all its unanswered payments to be
	// asked about at once when it answers again. After shorter silence a payment is asked about when it has rested: see
	// RestShare.
	Outage = time.Minute
	// RestShare divides the time for which no exchange about a payment was answered: the payment rests for that part of
	// it after a short silence. After ten minutes of short outages that is below a minute. A payment that its provider
	// never answers for, while it answers for others, is asked about ever more rarely.
	RestShare = 12
)

// Failure is the kind of failure of a request.
type Failure int

// The failures.
const (
	NotTaken     Failure = iota // proof that the provider did not take it
	Unanswered                  // sent, and nothing is known
	Unauthorized                // the credentials are refused, which no repeat changes
)

// State is the visible state of a breaker.
type State string

// The states.
const (
	Closed   State = "closed"
	Open     State = "open"
	HalfOpen State = "half_open" // the next payment probes
)

// State returns the state at now.
func (b Breaker) State(now time.Time) State {
	switch {
	case !b.Opened():
		return Closed
	case b.Takes(now):
		return HalfOpen
	}
	return Open
}

// Opened reports whether the account rests.
func (b Breaker) Opened() bool { return !b.OpenedAt.IsZero() }

// Takes reports whether a payment may be sent: the breaker is closed, or it is time for a probe.
func (b Breaker) Takes(now time.Time) bool { return !b.Opened() || !now.Before(b.ProbeAt) }

// Unprobed reports whether a probe is overdue by more than the wait of a payment: all payments go to other accounts, so
// that none will close the breaker.
func (b Breaker) Unprobed(now time.Time) bool { return b.Opened() && now.Sub(b.ProbeAt) >= 2*Cooldown }

// Failed notes a failure of a payment.
func (b Breaker) Failed(f Failure, payment string, now time.Time) Breaker {
	if b.Failures == 0 { // a build that does not know FailedBy may have forgotten the others
		b.FailedBy = [threshold]string{}
	}
	b.Failures++
	if b.FailingSince.IsZero() {
		b.FailingSince = now
	}
	copy(b.FailedBy[1:], b.FailedBy[:threshold-1])
	b.FailedBy[0] = payment
	full, different := b.failing()
	many := full && different >= several
	opens := f == Unauthorized || f == NotTaken && many || many && now.Sub(b.FailingSince) >= Silence
	switch alone := full && different == 1; {
	case f != Unauthorized && alone:
		b.OpenedAt, b.ProbeAt = time.Time{}, time.Time{}
	case !b.Opened() && opens:
		b.OpenedAt = now
	}
	if b.Opened() {
		b.ProbeAt = now.Add(Cooldown)
	}
	return b
}

// failing reports whether there were threshold failures in a row, and of how many different payments the last ones are.
func (b Breaker) failing() (full bool, different int) {
	for i, p := range b.FailedBy {
		if p != "" && !slices.Contains(b.FailedBy[:i], p) {
			different++
		}
	}
	return b.FailedBy[threshold-1] != "", different
}

// Taken notes that the account took a send, or declined it: charges work.
func (b Breaker) Taken() Breaker {
	return Breaker{SilentSince: b.SilentSince, RecoveredAt: b.RecoveredAt}
}

// Silent notes that an exchange of any kind, which began at a time, brought no answer. One from before the account
// recovered says nothing new: its payment is among those that are woken.
func (b Breaker) Silent(begun, now time.Time) Breaker {
	if b.SilentSince.IsZero() {
		b.SilentSince = now
	}
	if !b.RecoveredAt.IsZero() && !begun.Before(b.RecoveredAt) { // another silence: the earlier one is over
		b.SilentSince, b.RecoveredAt = now, time.Time{}
	}
	return b
}

// Answered notes that an exchange of any kind was answered.
func (b Breaker) Answered(now time.Time) Breaker {
	if !b.SilentSince.IsZero() && b.RecoveredAt.IsZero() {
		b.RecoveredAt = now
	}
	return b
}

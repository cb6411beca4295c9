package routing

import "time"

// Breaker rests an account that does not take payments, so that they go elsewhere at once. It opens after some sends in a
// row that surely were not taken, after silence that lasts, and at once where the credentials are refused. Then one
// payment at a time probes the account, and a real answer closes it. Beside that it knows since when nothing at all was
// answered, look-ups included, so that the payments which an outage left undecided are asked about when it is over. Times
// are real. The zero value is closed.
type Breaker struct {
	Failures int // in a row
	// FailingSince is when the first of them was; zero: there is none.
	FailingSince time.Time
	OpenedAt     time.Time
	ProbeAt      time.Time // while it is open: when the next payment may probe
	// SilentSince is since when no exchange of any kind was answered; zero: the last one was.
	SilentSince time.Time
	// RecoveredAt is when the account answered again after an outage; zero again once its payments are woken.
	RecoveredAt time.Time
}

const (
	// threshold is how many failures in a row open a breaker: single ones are everyday.
	threshold = 5
	// Cooldown is the time between two probes.
	Cooldown = 30 * time.Second
	// Silence is how long an account must leave every send unanswered. It is long, because a payment that was sent stays
	// with its provider: while the provider may be only slow, the payments after it gain little by going elsewhere.
	Silence = 10 * time.Minute
	// Outage is how long an account must be silent for its return to be news. Up to then payments ask soon enough by
	// their own schedule.
	Outage = time.Minute
)

// Failure is how a request failed.
type Failure int

// The failures.
const (
	NotTaken     Failure = iota // proof that the provider did not take it
	Unanswered                  // sent, and nothing is known
	Unauthorized                // the credentials are refused, which no repeat changes
)

// State is how a breaker shows itself.
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

// Failed notes a failure.
func (b Breaker) Failed(f Failure, now time.Time) Breaker {
	b.Failures++
	if b.FailingSince.IsZero() {
		b.FailingSince = now
	}
	many := b.Failures >= threshold
	opens := f == Unauthorized || f == NotTaken && many || many && now.Sub(b.FailingSince) >= Silence
	if !b.Opened() && opens {
		b.OpenedAt = now
	}
	if b.Opened() {
		b.ProbeAt = now.Add(Cooldown)
	}
	return b
}

// Taken notes that the account took a send, or declined it: charges work.
func (b Breaker) Taken() Breaker {
	return Breaker{SilentSince: b.SilentSince, RecoveredAt: b.RecoveredAt}
}

// Silent notes that an exchange of any kind, which was begun then, brought no answer. One from before the account
// recovered says nothing new.
func (b Breaker) Silent(begun, now time.Time) Breaker {
	if b.SilentSince.IsZero() {
		b.SilentSince = now
	}
	if !b.RecoveredAt.IsZero() && begun.After(b.RecoveredAt) { // another silence: what was before it is over
		b.SilentSince, b.RecoveredAt = now, time.Time{}
	}
	return b
}

// Answered notes that an exchange of any kind was answered.
func (b Breaker) Answered(now time.Time) Breaker {
	switch {
	case b.SilentSince.IsZero() || !b.RecoveredAt.IsZero():
	case now.Sub(b.SilentSince) < Outage:
		b.SilentSince = time.Time{}
	default:
		b.RecoveredAt = now
	}
	return b
}

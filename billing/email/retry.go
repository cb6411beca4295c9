package email

import "time"

// Policy says when a mail that the server did not take is tried again.
type Policy struct{ Gaps []time.Duration }

// The policies of live and test environments. Servers that defer mail of unknown senders take it after some minutes; a
// server that is away for a weekend is waited for.
var (
	LivePolicy = Policy{[]time.Duration{
		time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour,
		12 * time.Hour, 24 * time.Hour,
		24 * time.Hour,
	}}
	TestPolicy = Policy{[]time.Duration{5 * time.Second, 20 * time.Second, time.Minute}}
)

// MaxAge is the age at which a mail is given up even if attempts are left: its server was away, and the news is old.
const MaxAge = 72 * time.Hour

// Failure is what the rules know of an attempt that failed.
type Failure struct {
	Permanent bool // a repeat would fail in the same way
	OfServer  bool // so would other mails: the attempt uses up none
	Malformed bool // the address is
}

// Next is what follows from an attempt.
type Next struct {
	Status Status
	Reason Reason    // of Failed
	At     time.Time // of Pending: when the next attempt is due
}

// After returns what follows from a failed attempt. attempts counts those that used up one, including this one where it
// does.
func (p Policy) After(f Failure, attempts int, createdAt, now time.Time) Next {
	switch {
	case f.Malformed:
		return Next{Status: Failed, Reason: AddressMalformed}
	case f.Permanent:
		return Next{Status: Failed, Reason: ServerRefused}
	case attempts > len(p.Gaps):
		return Next{Status: Failed, Reason: AttemptsUsed}
	}
	at := now.Add(p.Gaps[max(attempts-1, 0)])
	if at.After(createdAt.Add(MaxAge)) && now.After(createdAt) {
		return Next{Status: Failed, Reason: AttemptsUsed}
	}
	return Next{Status: Pending, At: at}
}

// Pause is the time for which a server is left alone after it failed for all mails alike.
func (p Policy) Pause() time.Duration { return p.Gaps[0] }

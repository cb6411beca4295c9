package worker

import "time"

// lasting decides when a fault that may pass is logged: once it has lasted for stoppedFor, and then every sayAgain.
type lasting struct {
	since time.Time // when it was seen first; zero: not yet
	said  time.Time // when it was last logged
}

// seen notes that the fault is there now. It returns for how long it has been, and whether that is to be said.
func (l *lasting) seen(now time.Time) (since time.Duration, say bool) {
	if l.since.IsZero() {
		l.since = now
	}
	since = now.Sub(l.since)
	if since < stoppedFor || now.Sub(l.said) < sayAgain {
		return since, false
	}
	l.said = now
	return since, true
}

package invoice

import "time"

// UsageFailure has the reason why the usage of a draft could not be rated, and the time of the next attempt. It is
// stored with the draft, and removed once the invoice is issued. Fields are added, never renamed.
type UsageFailure struct {
	Code   string `json:"code"`   // of the fault
	Detail string `json:"detail"` // for people
	Times  int    `json:"times"`  // in a row
	// Since and RetryAt are in the subscription's own time.
	Since   time.Time `json:"since"`
	RetryAt time.Time `json:"retryAt"`
}

// TriedAt returns when a draft is to be issued; one whose usage could not be rated is tried again later.
func (i Invoice) TriedAt() time.Time {
	if i.UsageFailure != nil {
		return i.UsageFailure.RetryAt
	}
	return i.FinalizesAt
}

// Unrated returns a draft whose usage could not be rated at some time. The next attempt comes after rest, which grows
// with the number of attempts.
func (i Invoice) Unrated(code, detail string, now time.Time, rest func(times int) time.Duration) Invoice {
	failure := UsageFailure{Code: code, Detail: detail, Times: 1, Since: now}
	if was := i.UsageFailure; was != nil {
		failure.Times, failure.Since = was.Times+1, was.Since
	}
	failure.RetryAt = now.Add(rest(failure.Times))
	i.UsageFailure = &failure
	return i
}

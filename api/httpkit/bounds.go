package httpkit

import (
	"context"
	"time"
)

// Bounds are how long the parts of an answer may take. Key, Answer and After together are the ten seconds within which
// every caller hears something; the time to send a body, and to wait as Prefer asks, is the caller's own and comes on
// top.
type Bounds struct {
	// Key is for finding the API key and, with it, the resource of the path: one read.
	Key time.Duration
	// Answer is for what the request asks for. What is not done by then is answered 503.
	Answer time.Duration
	// InFlight is how much of Answer a repeat spends on waiting for the request it repeats. It is less, so that the
	// caller is told 409 and why, not 503.
	InFlight time.Duration
	// After is for what follows once the answer is decided, also for a caller that has gone away: to store a refusal,
	// to start, wake or signal a workflow. None of it is worth more of the caller's time.
	After time.Duration
}

var usualBounds = Bounds{
	Key: 2 * time.Second, Answer: 6 * time.Second, InFlight: 5 * time.Second, After: 2 * time.Second,
}

// LongestAnswer is the time from the last byte of a request's body to the last byte of its answer, at most: a server
// that writes must not give up earlier.
var LongestAnswer = usualBounds.Key + usualBounds.Answer + maxWait + usualBounds.After

// Afterwards is a context for what follows an answer: neither the caller's departure nor the end of its time ends it.
func (k *Kit) Afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), k.bounds.After)
}

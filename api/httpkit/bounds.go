package httpkit

import (
	"context"
	"time"
)

// Bounds are the times for the parts of an answer. Key, Answer and After together are the ten seconds within which
// every caller gets a response; the time to send a body, and to wait as Prefer asks, is the caller's own and comes on
// top.
type Bounds struct {
	// Key is for finding the API key and, with it, the resource of the path: one read.
	Key time.Duration
	// Answer is for the request itself. If it is not done by then, the response is 503.
	Answer time.Duration
	// InFlight is the part of Answer for which a repeat waits for the request that it repeats. It is less, so that the
	// caller gets 409 with the reason, not 503.
	InFlight time.Duration
	// After is for the work after the answer is decided, also for a caller that has disconnected: to store a refusal,
	// to start, wake or signal a workflow. None of it is worth more of the caller's time.
	After time.Duration
}

var usualBounds = Bounds{
	Key: 2 * time.Second, Answer: 6 * time.Second, InFlight: 5 * time.Second, After: 2 * time.Second,
}

// LongestAnswer is the time from the last byte of a request's body to the last byte of its answer, at most: a server
// that writes must not give up earlier.
var LongestAnswer = usualBounds.Key + usualBounds.Answer + maxWait + usualBounds.After

// Afterwards returns a context for work after an answer: it ends neither with the caller's connection nor with the
// caller's time.
func (k *Kit) Afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), k.bounds.After)
}

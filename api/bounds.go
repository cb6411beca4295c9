package api

import (
	"context"
	"time"
)

// bounds are how long the parts of an answer may take. key, answer and after together are the ten seconds within which
// every caller hears something; the time to send a body, and to wait as Prefer asks, is the caller's own and comes on top.
type bounds struct {
	// key is for finding the API key and, with it, the resource of the path: one read.
	key time.Duration
	// answer is for what the request asks for. What is not done by then is answered 503.
	answer time.Duration
	// inFlight is how much of answer a repeat spends on waiting for the request it repeats. It is less, so that the caller
	// is told 409 and why, not 503.
	inFlight time.Duration
	// after is for what follows once the answer is decided, also for a caller that has gone away: to store the answer or
	// free its key, to start, wake or signal a workflow. None of it is worth more of the caller's time.
	after time.Duration
}

var usualBounds = bounds{key: 2 * time.Second, answer: 6 * time.Second, inFlight: 5 * time.Second, after: 2 * time.Second}

// afterwards is a context for what follows an answer: neither the caller's departure nor the end of its time ends it.
func (s *Server) afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), s.bounds.after)
}

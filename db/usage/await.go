package usage

import (
	"cmp"
	"context"
	"errors"
	"time"

	"perennial/db/core"
)

// awaitPoll is the time before the second look at the writers; it doubles up to awaitLongest. After awaitLimit the call
// gives up. A writer takes milliseconds; one that froze is ended by the server within a minute.
const (
	awaitPoll    = 2 * time.Millisecond
	awaitLongest = 250 * time.Millisecond
	awaitLimit   = 90 * time.Second
)

// ErrBeingWritten is the error of AwaitRecords where it gives up: a repeat may succeed.
var ErrBeingWritten = errors.New("db: records of usage are still being written by a transaction that began before")

// AwaitRecords waits until each transaction that began to write records of the environment before the call has ended:
// then what it took is counted, and each later one sees what was committed before the call. beat is called after each
// look. It returns ErrBeingWritten after 90 seconds, and the error of ctx where that ends.
func (l *Log) AwaitRecords(ctx context.Context, environmentID string, beat func()) error {
	handle := l.store.Reads().Handle
	// A writer that has its lock already holds a lower position: the sequence moves for all at once.
	fence, err := core.Queries.UsageFence(ctx, handle)
	if err != nil {
		return core.Translate("UsageFence", err)
	}
	within, cancel := context.WithTimeout(ctx, awaitLimit)
	defer cancel()
	for wait := awaitPoll; ; wait = min(2*wait, awaitLongest) {
		horizon, err := core.Queries.UsageHorizon(ctx, handle, environmentID)
		if err != nil {
			return core.Translate("UsageHorizon", err)
		}
		if horizon >= fence {
			return nil
		}
		beat()
		select {
		case <-within.Done():
			return cmp.Or(ctx.Err(), ErrBeingWritten)
		case <-time.After(wait):
		}
	}
}
